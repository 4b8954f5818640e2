// RunAnalysis: one attempt to make the report of a run, by this program in a limited and confined
// child process. The queue (queue.h, cluster_queue.h) decides which runs are tried and how often,
// and what follows.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "service/processes/commands.h"
#include "service/queue/queue.h"
#include "store/store.h"

namespace rankscope::service {

// How a child ended.
enum class AnalysisEnd : std::uint8_t {
  kGood,
  kRefused,   // with a sentence of its own
  kCrashed,   // by a signal, for want of memory or time
  kStopped,   // by us
  kNotBegun,  // there was none, which says nothing of what it would have read
};
struct AnalysisEnded {
  AnalysisEnd end = AnalysisEnd::kGood;
  std::string reason;
  bool is_final = false;  // another attempt would end the same way
};

// Calls to the queue during the attempt. Changes reach the run only while the queue still has it.
struct AnalysisHooks {
  std::function<bool()> is_stopped;
  std::function<void(double progress)> on_progress;  // 0 to 1, often
  std::function<bool()> pause;  // before something is tried again; false when it was stopped
  std::function<Result<store::Run>(const std::function<Status(store::Run&)>&)> change;
  std::function<void(const store::Run&)> on_new_run;  // made of files of this one, queued
};

// Of a run that several workers read (cluster_queue.h).
struct InShards {
  std::string folder;     // what they have read of it (shard_plan/plan.h); "": nobody has
  bool is_shard = false;  // its files are read, and no report is made
};

// One thread at a time. Its arguments outlive it.
class RunAnalysis {
 public:
  // `folder` is its own for the time.
  RunAnalysis(store::Store& store, Commands& commands, const QueueOptions& options,
              std::uint64_t memory_bytes, std::string folder, AnalysisHooks hooks,
              InShards in_shards = {})
      : store_(store),
        commands_(commands),
        options_(options),
        memory_bytes_(memory_bytes),
        folder_(std::move(folder)),
        hooks_(std::move(hooks)),
        in_shards_(std::move(in_shards)) {}

  // Waits until the run's contents can be read or are known to be damaged: a store of contents that
  // is away says nothing about them. False if it was stopped.
  bool WaitForContents(const store::Run& run);
  // Sets aside traces that differ from those stored; the report is made of the others.
  Result<store::Run> SetAsideDamaged(const store::Run& run);
  // Makes the folder of a run in shards if it does not exist; any of several workers may do so.
  Status MakeShardFolder() const;
  // Reads all files of a shard, which are those of `part`.
  AnalysisEnded ReadShard(const store::Run& part);
  // Analyses or reads each file alone, and sets aside those that end the process; `count` is their
  // number.
  AnalysisEnded SetAsidePoison(const store::Run& run, std::int64_t& count);
  // Leaves a report in the folder. Files of several runs become several runs (split_run.h), of
  // which `run` is then the first.
  AnalysisEnded MakeReport(store::Run& run);
  // Puts the report of the folder into the store; no run names it yet. Since it took long to make,
  // it is kept until a store of contents that is away accepts it; kCancelled if that was stopped.
  Result<store::RunReport> StoreReport(const store::Run& run) const;
  // The CPU time of the processes that ended so far.
  std::chrono::milliseconds cpu() const { return cpu_; }

 private:
  // How a file is tried alone.
  std::vector<std::string> WordsAlone(const std::string& shown) const;
  bool IsDamaged(const std::string& sha256) const;
  AnalysisEnded TryReport(const store::Run& run);
  // Makes the other runs of what the child found, and leaves the first in `run`. False if there was
  // nothing to split.
  Result<bool> Split(store::Run& run);
  Result<store::RunReport> TryStoreReport() const;
  // This program with these words, bounded, working in the folder, where kTracesLink is `traces`.
  AnalysisEnded RunProgram(const std::vector<std::string>& words, const std::string& traces);

  store::Store& store_;
  Commands& commands_;
  const QueueOptions& options_;
  const std::uint64_t memory_bytes_;
  const std::string folder_;
  const AnalysisHooks hooks_;
  const InShards in_shards_;
  std::chrono::milliseconds cpu_{0};
};

// Keeps the data read by a run's shards for later questions: moves it to the cache, as far as there
// is room, and removes the folder. Best effort: all of it can be read again.
void KeepReadTraces(const std::string& shard_folder, const std::string& cache_folder);

// Gives the run this report and makes it ready. Information on the job from the traces fills in
// what nobody stated.
void TakeReport(store::RunReport report, store::Run& run);

}  // namespace rankscope::service
