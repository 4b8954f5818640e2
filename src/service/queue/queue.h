// The queue of analyses: finished runs become reports, each in its own process.
//
// The store holds the work to do (states queued and analysing), so nothing is lost with the
// process; a journal counts attempts. A worker that crashes, or exceeds its memory or time, costs
// an attempt. After the second attempt each file is analysed alone, and a file that ends its
// process is set aside, so the report is made of the others. After the third the run has failed,
// with the reason. If the server ends, that costs no attempt, and says nothing about a run that was
// analysed beside others. A run interrupted kSuspicious times is analysed alone from then on. If
// the server ends kMostAlone times during that, the run itself is the cause, and has failed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "service/processes/commands.h"
#include "store/store.h"

namespace rankscope::service {

struct QueueOptions {
  std::string program;       // this one
  std::string folder;        // its own, emptied on beginning
  std::string cache_folder;  // of traces that were read
  std::string journal;       // a file
  int workers = 1;
  std::uint64_t memory_bytes = 0;  // of address space, of each; 0: any
  std::string memory_option;       // what sets it, for reasons of runs: "--memory of ..."; "": none
  // Of a cluster: about so much text of traces is read at once, and runs of more are divided.
  std::uint64_t shard_bytes = std::uint64_t{2} << 30;
  std::chrono::seconds time{3600};
  std::chrono::milliseconds pause{1000};  // before something is tried again
  std::string version;                    // of the program, for reports
  std::string data_folder;                // not named in the reasons of runs
  // A run's current record and progress. Called by threads of the queue.
  std::function<void(const store::Run& run)> on_change;
  std::function<void(std::string_view message)> on_message;
};

struct QueueNumbers {
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t units_waiting = 0;  // runs, or their shards, that somebody could begin now or soon
  std::int64_t units_running = 0;
  std::int64_t done = 0;  // since the beginning
  std::int64_t failed = 0;
  std::int64_t attempts_failed = 0;
  std::int64_t set_aside = 0;
  double busy_seconds = 0;
  // Of the units that wait, and of the reports that wait for shards: an estimate by what units of
  // their kind cost for each byte. None: unknown, as before the first unit has ended.
  std::optional<double> backlog_cpu_seconds = {};
  // Of the unit that waits longest; 0 if none does. None: not measured.
  std::optional<double> oldest_wait_seconds = {};
  std::map<std::string, std::int64_t> units_waiting_of_team = {};
};

// No analysis works in less address space, however small its traces: its libraries want it in large
// pieces.
inline constexpr std::uint64_t kLeastAnalysisMemory = std::uint64_t{1} << 30;
// Refuses less. `option` had `text`: "--memory", "40M". 0 is any, and fine.
Status CheckAnalysisMemory(std::uint64_t bytes, std::string_view option, std::string_view text);

// Safe for many threads.
class Queue {
 public:
  static constexpr std::int64_t kMostAttempts = 3;
  static constexpr std::int64_t kSuspicious = 3;
  static constexpr std::int64_t kMostAlone = 3;

  // `store` and `commands` outlive it.
  static Result<std::unique_ptr<Queue>> Open(store::Store& store, Commands& commands,
                                             QueueOptions options);
  // Kills workers; their runs stay in the queue.
  virtual ~Queue() = default;

  // Takes up the work in the store.
  virtual void Begin() = 0;
  // A run that is in the state queued.
  virtual void Add(const std::string& run) = 0;
  // A run that was removed.
  virtual void Forget(const std::string& run) = 0;
  // 0 to 1, of a run that is being analysed.
  virtual double Progress(std::string_view run) const = 0;
  virtual QueueNumbers Numbers() const = 0;
};

void AppendQueueMetrics(std::string& out, const QueueNumbers& numbers);
// Series that name teams, only for those who may see all of them.
void AppendTeamMetrics(std::string& out, const QueueNumbers& numbers);

}  // namespace rankscope::service
