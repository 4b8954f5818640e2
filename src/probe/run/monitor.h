// One module for many readers: a driver is called once, no matter how many readers ask.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "probe/run/module.h"

namespace rankscope::probe {

// The complete result of one round: readers never see metrics of two rounds.
struct Snapshot {
  struct OfInstance {
    Instance instance;
    std::vector<Metric> metrics;  // in the order of the device's exports
  };
  std::vector<OfInstance> instances;
  std::int64_t time_ns = 0;  // of the round
  std::uint64_t round = 0;   // counted from 1
};

// Thread-safe. The caller that finds a source due reads it; the others wait for that round, or take
// the last snapshot.
class Monitor {
 public:
  Monitor(std::unique_ptr<Module> module, Clock clock = MonotonicNow);

  struct Answer {
    std::shared_ptr<const Snapshot> snapshot;  // shared: readers keep it while new ones are made
    bool is_stale = false;                     // a source is due and was not read within the wait
  };
  // Reads what is due first. If another thread is reading, waits for it at most `wait`. The thread
  // that reads waits as long as the device takes.
  Answer Read(std::chrono::nanoseconds wait);

 private:
  std::shared_ptr<const Snapshot> Take(std::int64_t now_ns) const;

  const std::unique_ptr<Module> module_;
  const Clock clock_;
  std::mutex mutex_;
  std::condition_variable is_done_;
  bool is_reading_ = false;
  std::int64_t next_due_ns_ = 0;
  std::shared_ptr<const Snapshot> last_;
};

}  // namespace rankscope::probe
