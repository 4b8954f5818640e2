// DataQueue: a data loader's workers, which fill a queue of a few batches ahead of the training.
//
// Together the workers finish a batch every so often, one after the other, and begin none while the
// queue is full. Before the first step they had time enough.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace rankscope::sim {

class DataQueue {
 public:
  static constexpr std::size_t kBatches = 8;  // prefetch_factor 2 of 4 workers

  // The training asks for the next batch at `now_ns`, which takes the workers `interval_ns` after
  // the one before. Returns when it has the batch. `late` says that the workers had fallen behind
  // before: that the queue is empty.
  constexpr std::int64_t Take(std::int64_t now_ns, std::int64_t interval_ns, bool late) {
    std::int64_t& slot = taken_ns_[count_++ % kBatches];
    if (late) {
      ready_ns_ = std::max(ready_ns_, last_taken_ns_);
    } else {
      ready_ns_ = std::max(ready_ns_, slot);  // a place became free when that batch was taken
    }
    ready_ns_ += interval_ns;
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
