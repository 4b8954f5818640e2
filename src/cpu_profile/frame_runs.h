// What samples add up to: equal stacks with their counts, and frames over time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cpu_profile/samples/profile.h"

namespace rankscope::cpu_profile {

// A frame that was there in consecutive samples of a thread, in the same outer frames: from the
// first until a period after the last, or until the thread's next sample when that was earlier.
struct FrameRun {
  std::uint32_t thread = 0;
  std::uint32_t depth = 0;  // 1: outermost
  std::uint32_t function = 0;
  std::int32_t line = 0;  // that the most of its samples were at
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t samples = 0;
  std::uint32_t with_lock = 0;  // of them, while the thread held Python's lock
};

inline constexpr std::size_t kMostRuns = 200'000;

// By thread, then by begin, outer frames first. Samples that are further apart than a few periods
// are no run; those outside of [begin_ns, end_ns) are left out. At most kMostRuns: then the
// innermost frames are left out first. O(samples x depth).
std::vector<FrameRun> RunsOf(const Profile& profile, std::int64_t begin_ns = INT64_MIN,
                             std::int64_t end_ns = INT64_MAX);

// "thread;outer;inner 12\n": a line for each stack, as tools that draw flame graphs read it.
std::string CollapsedText(const Profile& profile);

// "torch/nn/modules/module.py(1501): forward", as the profiler's own Python functions are called:
// without the folder that packages are in. "mul" of a library.
std::string LabelOf(const Function& function);

}  // namespace rankscope::cpu_profile
