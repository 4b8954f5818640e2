// Aggregates of samples: equal stacks with their counts, and frames over time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cpu_profile/samples/profile.h"

namespace rankscope::cpu_profile {

// A frame that appears in consecutive samples of a thread, within the same outer frames. It lasts
// from the first sample until one period after the last, or until the thread's next sample if that
// is earlier.
struct FrameRun {
  std::uint32_t thread = 0;
  std::uint32_t depth = 0;  // 1: outermost
  std::uint32_t function = 0;
  std::int32_t line = 0;  // the line of most of its samples
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t samples = 0;
  std::uint32_t with_lock = 0;  // samples while the thread held Python's lock
};

inline constexpr std::size_t kMostRuns = 200'000;

// Sorted by thread, then by begin, outer frames first. A gap of more than a few periods ends a run;
// samples outside of [begin_ns, end_ns) are left out. At most kMostRuns: beyond that the innermost
// frames are dropped first. O(samples x depth).
std::vector<FrameRun> RunsOf(const Profile& profile, std::int64_t begin_ns = INT64_MIN,
                             std::int64_t end_ns = INT64_MAX);

// "thread;outer;inner 12\n": one line per stack, the input format of flame graph tools.
std::string CollapsedText(const Profile& profile);

// "torch/nn/modules/module.py(1501): forward", the profiler's notation for Python functions,
// without the folder of the packages. "mul" for a function of a library.
std::string LabelOf(const Function& function);

}  // namespace rankscope::cpu_profile
