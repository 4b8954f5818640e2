// When a sampler takes its next round, and how many it could not take.
#pragma once

#include <cstdint>

namespace rankscope::cpu_profile {

class Rounds {
 public:
  explicit Rounds(std::int64_t begin_ns) : next_ns_(begin_ns) {}

  std::int64_t next_ns() const { return next_ns_; }
  // A round was taken, and it is `now_ns`. The next one is `step_ns` behind where this one was due;
  // where that is over, it is now, and the whole steps between fall out: with steps of 10 ms, one
  // that was due at 0 and done at 37 leaves two out, and the one that was due at 30 comes at 37.
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
