// DataQueue: the workers of a data loader, which prefetch a few batches into a queue.
//
// Together the workers finish one batch per interval, one after the other. They start none while
// the queue is full. The queue is full when the first step begins.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace rankscope::sim {

class DataQueue {
 public:
  static constexpr std::size_t kBatches = 8;  // prefetch_factor 2 of 4 workers

  // The training asks for the next batch at `now_ns`. The workers finish a batch `interval_ns`
  // after the one before, which is `lag_ns` slower than the training consumes them. Returns the
  // time when the training gets the batch. If the workers lag, they have lagged for long: the queue
  // is empty.
  constexpr std::int64_t Take(std::int64_t now_ns, std::int64_t interval_ns, std::int64_t lag_ns) {
    std::int64_t& slot = taken_ns_[count_ % kBatches];
    if (lag_ns == 0) {
      // A place became free when that batch was taken. The first batches were in the queue already.
      if (count_ >= kBatches) ready_ns_ = std::max(ready_ns_, slot) + interval_ns;
    } else if (count_ == 0) {
      ready_ns_ = now_ns + lag_ns;
    } else {
      ready_ns_ = std::max(ready_ns_, last_taken_ns_) + interval_ns;
    }
    ++count_;
    last_taken_ns_ = slot = std::max(now_ns, ready_ns_);
    return slot;
  }

 private:
  std::array<std::int64_t, kBatches> taken_ns_{};
  std::uint64_t count_ = 0;
  std::int64_t ready_ns_ = 0;
  std::int64_t last_taken_ns_ = 0;
};

}  // namespace rankscope::sim
