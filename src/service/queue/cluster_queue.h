// ClusterQueue: the queue of a cluster (queue.h). Its work is rows of a database (work_rows.h) that
// the workers of all machines take: runs, and shards of large ones (divide_run.h). The transaction
// that queues a run also makes the row, so nothing is added here. If a worker or server is killed,
// another takes its work when the lease has ended.
//
// The attempts follow those of a single server, one at a time, by any worker: the second alone on
// its worker and with twice the memory, the third after each file was tried alone. A worker that
// ended costs no attempt. After kSuspicious of them the run is analysed alone, and after kMostAlone
// more it has failed.
//
// A shard has the same attempts and costs its run none. After its last attempt its files are left
// to the process that makes the report, and a file that kills a process reading it alone is set
// aside. A shard whose workers ended as often is divided into its files.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "postgres/listener.h"
#include "service/queue/queue.h"
#include "service/queue/run_analysis.h"
#include "service/queue/work_rows.h"
#include "service/queue/worker_metrics.h"

namespace rankscope::service {

struct ClusterQueueOptions {
  QueueOptions queue;  // `workers` may be 0: it looks on; `journal` is not used
  std::chrono::milliseconds lease{30'000};
  std::string name;  // of this process, for people: HOST-PID
};

// Safe for many threads.
class ClusterQueue final : public Queue {
 public:
  // `store` has its catalogue in a database. `store` and `commands` outlive the queue.
  ClusterQueue(store::Store& store, Commands& commands, ClusterQueueOptions options);
  // Hands back the work in progress.
  ~ClusterQueue() override;

  void Begin() override;
  void Add(const std::string&) override {}
  void Forget(const std::string&) override {}
  double Progress(std::string_view run) const override;
  QueueNumbers Numbers() const override;
  // Of this process.
  WorkerNumbers worker_numbers() const;

  // Updates the values of Progress.
  void Refresh();
  WorkRows& rows() { return rows_; }

 private:
  using Clock = std::chrono::steady_clock;
  // Work of one of the threads.
  struct AtWork {
    WorkUnit unit;
    double progress = 0;
    double told = 0;
    bool is_lost = false;       // another may have it
    Clock::time_point renewed;  // when the last renewal that went well was sent
  };

  void Work(int number);
  void Analyse(AtWork& mine, const std::string& folder);
  Result<store::Run> ChangeRun(const AtWork& mine, const WorkRows::RunChange& change);
  RunAnalysis AnalysisOf(AtWork& mine, const std::string& folder);
  void ReadShard(AtWork& mine, const std::string& folder);
  AnalysisEnded ShardAttempt(AtWork& mine, RunAnalysis& analysis, store::Run part);
  void Divide(const WorkUnit& unit, const std::vector<WorkShard>& shards);
  // Of a shard during which too many workers ended.
  void GiveUp(AtWork& mine, const store::Run& run);
  void EndShard(AtWork& mine, bool is_read, std::uint64_t bytes, std::chrono::milliseconds busy,
                std::chrono::milliseconds cpu = {});
  void FailAttempt(const WorkUnit& unit, std::string_view reason, std::chrono::milliseconds pause);
  void CountSetAside(std::int64_t count);
  AnalysisEnded Attempt(AtWork& mine, RunAnalysis& analysis, store::Run& run);
  // Whether the work ended by that.
  bool Conclude(AtWork& mine, const WorkRows::Outcome& outcome, const WorkRows::RunChange& change);
  void Fail(AtWork& mine, WorkRows::Outcome outcome, const std::string& reason);
  // Renews the leases of the work in progress.
  void Pulse();
  void RenewAll();
  // True while no other work may run here.
  bool EnterTurn(bool is_alone);
  void LeaveTurn(bool is_alone);
  bool IsOver(const AtWork& mine) const;
  // Waits before a retry; false if the work is over.
  bool Pause(const AtWork& mine);
  bool IsStopping() const;
  // Waits until there may be work; false if the queue ends.
  bool WaitForWork();
  void Say(std::string_view message);

  store::Store& store_;
  Commands& commands_;
  const ClusterQueueOptions options_;
  WorkRows rows_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::uint64_t wakes_ = 0;
  int working_ = 0;
  int waiting_alone_ = 0;
  bool is_alone_ = false;
  std::set<AtWork*> at_work_;
  std::map<std::string, double, std::less<>> progress_;
  mutable QueueNumbers numbers_;
  WorkerNumbers of_worker_;
  std::string last_said_;
  std::vector<std::thread> threads_;
  std::thread pulse_;
  std::unique_ptr<postgres::Listener> listener_;
};

}  // namespace rankscope::service
