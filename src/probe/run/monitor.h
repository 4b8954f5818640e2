// One module for many readers: a call of a driver is made once, whoever asks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "probe/run/module.h"

namespace rankscope::probe {

// What one round left, whole: readers never see metrics of two rounds.
struct Snapshot {
  struct OfInstance {
    Instance instance;
    std::vector<Metric> metrics;  // as the device's exports
  };
  std::vector<OfInstance> instances;
  std::int64_t time_ns = 0;  // of the round
  std::uint64_t round = 0;   // counted from 1
};

// For several threads. Who finds something due reads it; the others wait for that round, or take
// what there is.
class Monitor {
 public:
  Monitor(std::unique_ptr<Module> module, Clock clock = MonotonicNow);

  struct Answer {
    std::shared_ptr<const Snapshot> snapshot;  // shared: readers keep it while others are made
    bool is_stale = false;                     // something is due, and was not read within the wait
  };
  // With what is due read, unless that takes longer than `wait` in another thread. Who reads waits
  // as long as the device does.
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
