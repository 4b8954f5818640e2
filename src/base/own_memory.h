// A bound of what this process may allocate, kept by the kernel: what libraries take is counted as
// well as what they count themselves.
#pragma once

#include <cstdint>

namespace rankscope {

// From now on the process takes up to `bytes` more than it has: heap, private mappings that can be
// written, stacks of threads (8 MB each, however little of them is used). Files that are mapped do
// not count. Beyond it allocations fail as they do without memory (std::bad_alloc, nullptr). Holds
// for what it starts, too, and cannot be taken back; a tighter bound that is there stays.
void BoundOwnMemory(std::uint64_t bytes);

// Bytes that the process may still take by that bound, or by `ulimit -d`; UINT64_MAX without one.
std::uint64_t AvailableOwnMemory();

}  // namespace rankscope
