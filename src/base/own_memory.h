// A limit of this process's allocations, enforced by the kernel. So the memory of libraries counts
// as well.
#pragma once

#include <cstdint>

namespace rankscope {

// Limits the process to `bytes` more than it has now: heap, writable private mappings and thread
// stacks (8 MB each, however little of them is used). Mapped files do not count. Beyond the limit
// allocations fail as they do without memory (std::bad_alloc, nullptr). The limit also holds for
// child processes and cannot be undone. A tighter existing limit stays.
void BoundOwnMemory(std::uint64_t bytes);

// Bytes that the process may still take under that limit or `ulimit -d`; UINT64_MAX without one.
std::uint64_t AvailableOwnMemory();

}  // namespace rankscope
