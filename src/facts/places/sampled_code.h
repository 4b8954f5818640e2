// The places of host threads in the user's code, from stack samples (cpu_sample rows, added to a
// trace by the agent): for recordings without Python frames.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/interval.h"
#include "trace/trace.h"

namespace rankscope {

class SampledCode {
 public:
  // O(rows). 24 bytes for each change of a sampled thread's innermost function.
  explicit SampledCode(const RankTrace& trace);

  bool empty() const { return of_thread_.empty(); }
  // The innermost user function in which a thread (by the number of its rows) was for most of that
  // time; kEmptyString if samples cover less than half of it. O(log samples + those in it).
  StringId At(std::int64_t thread, Interval time) const;

 private:
  struct Stretch {
    Interval time;
    StringId function = kEmptyString;
  };
  using Stretches = std::vector<Stretch>;  // ascending

  static Stretches StretchesOf(const RankTrace& trace, const Track& lane);

  std::map<std::int64_t, Stretches> of_thread_;
};

}  // namespace rankscope
