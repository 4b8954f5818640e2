// WorkRows: the rows of work of a cluster (store/cluster_schema.h): units, each taken by one worker
// at a time for as long as it renews its lease.
//
// A unit is a run that is to be analysed. The worker that takes a large one divides it: its files
// become shards, which are units themselves, and the run's unit can be taken again when all of them
// have ended. A unit ends, or is divided, in one transaction with the effects on other units, so no
// run waits for shards that do not exist.
//
// A row has an attempt number, which grows by one each time it is taken. A worker changes the run
// and ends the work only in a transaction that finds the row with its own attempt number. So a
// worker that was cut off and comes back changes nothing. The clock of leases is the database's.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "service/queue/queue.h"
#include "store/postgres_catalogue.h"

namespace rankscope::service {

// Files of a run, by their places in its list, which does not change while it is work.
struct WorkShard {
  std::int64_t first_file = 0;
  std::int64_t behind_file = 0;
  std::int64_t bytes = 0;  // of text, about (shard_plan/plan.h)
  friend bool operator==(const WorkShard&, const WorkShard&) = default;
};

// One that was taken.
struct WorkUnit {
  std::int64_t id = 0;
  std::string run;
  std::string team;
  std::int64_t attempt = 0;
  std::int64_t generation = 0;  // of the report that is to be made
  std::int64_t shard = -1;      // its number; -1: the run itself
  WorkShard files = {};         // of a shard; of a run that was divided, the bytes of all shards
  std::int64_t failed = 0;      // attempts
  std::int64_t lost = 0;        // leases that nobody renewed: their workers ended
  std::int64_t lost_alone = 0;  // of these those during which the worker did nothing else
  bool is_alone = false;        // its worker is to do nothing else meanwhile
  std::string reason;           // of the last attempt that failed

  bool is_shard() const { return shard >= 0; }
  bool was_divided() const { return !is_shard() && files.bytes > 0; }
};

// Safe for many threads.
class WorkRows {
 public:
  // `worker` names this process for people. `catalogue` outlives it.
  WorkRows(store::PostgresCatalogue& catalogue, std::string worker, std::chrono::milliseconds lease)
      : catalogue_(catalogue), worker_(std::move(worker)), lease_(lease) {}

  // The first unit of the team with the fewest in progress, and among these of the one whose units
  // were last taken longest ago; none if nothing is ready. Two simultaneous callers get different
  // units. A unit that failed here is left to living workers
  // on which it failed less often.
  Result<std::optional<WorkUnit>> Take();
  // Renews the lease from now; false if the work is no longer this worker's. `is_told`: listeners
  // get the progress.
  Result<bool> Renew(const WorkUnit& unit, double progress, bool is_told);
  // Undoes the taking.
  Status HandBack(const WorkUnit& unit);
  // It may be tried again after `pause`, by this worker if no other one lives.
  Status FailAttempt(const WorkUnit& unit, std::string_view reason,
                     std::chrono::milliseconds pause);

  using RunChange = std::function<Status(store::Run&)>;
  // Changes the run while the work is this worker's: kCancelled when it is not.
  Result<store::RunPtr> Change(const WorkUnit& unit, const RunChange& change);
  // The last change of the run, which leaves the queue; the work ends with it.
  struct Outcome {
    bool is_done = false;  // or failed
    std::chrono::milliseconds busy{0};
    std::chrono::milliseconds cpu{0};  // 0: not measured
  };
  Result<store::RunPtr> Conclude(const WorkUnit& unit, const Outcome& outcome,
                                 const RunChange& change);

  // Adds shards. For a run that was not divided, they are read before the unit goes on. For a
  // shard, they replace it and are taken alone from the beginning. kCancelled if the unit is no
  // longer this worker's. `shards` is not empty, and none has 0 bytes.
  Status Divide(const WorkUnit& unit, const std::vector<WorkShard>& shards);
  // Ends a shard, whether `is_read` or not: missing data is read with the report. After the last
  // shard the run can be taken. kCancelled if it is no longer this worker's.
  Status EndShard(const WorkUnit& unit, bool is_read, std::chrono::milliseconds busy,
                  std::chrono::milliseconds cpu = {});

  // Counts files that ended their readers. Call it when they are set aside, whatever the result of
  // the attempt.
  Status CountSetAside(std::int64_t count);

  // This process takes work and lives, for the time of a lease from now. Call it more often.
  Status ShowLife();
  // It takes no more work.
  Status EndLife();

  // Ends leases that were not renewed; their work is ready again.
  Status Sweep();

  // The progress of runs in progress. For one in shards, reading is nine tenths.
  Result<std::map<std::string, double, std::less<>>> Progress();
  Result<QueueNumbers> Numbers();
  // Removes work that ended longer ago than this, and workers that were not alive since.
  Status ForgetHistory(std::chrono::hours age);

  std::chrono::milliseconds lease() const { return lease_; }

 private:
  store::PostgresCatalogue& catalogue_;
  const std::string worker_;
  const std::chrono::milliseconds lease_;
};

}  // namespace rankscope::service
