// How much memory a piece of work needs at its peak, measured in a process of its own.
#pragma once

#include <cstdint>
#include <functional>

namespace rankscope::bench {

// Runs `work` in a child process and returns the growth of its peak resident size in bytes; -1 when
// the child failed.
std::int64_t PeakBytes(const std::function<bool()>& work);

}  // namespace rankscope::bench
