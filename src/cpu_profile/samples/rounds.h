// Schedules the rounds of a sampler, and counts the missed ones.
#pragma once

#include <cstdint>

namespace rankscope::cpu_profile {

class Rounds {
 public:
  explicit Rounds(std::int64_t begin_ns) : next_ns_(begin_ns) {}

  std::int64_t next_ns() const { return next_ns_; }
  // A round ended at `now_ns`. The next one is due `step_ns` after this one was due. If that time
  // has passed, it is due now, and the whole steps in between are missed: with steps of 10 ms, a
  // round due at 0 that ends at 37 misses two rounds, and the one due at 30 starts at 37.
  void Took(std::int64_t now_ns, std::int64_t step_ns) {
    next_ns_ += step_ns;
    if (now_ns <= next_ns_) return;
    missed_ += static_cast<std::uint64_t>((now_ns - next_ns_) / step_ns);
    next_ns_ = now_ns;
  }
  std::uint64_t missed() const { return missed_; }

 private:
  std::int64_t next_ns_;
  std::uint64_t missed_ = 0;
};

}  // namespace rankscope::cpu_profile
