#include "base/column.h"

#include <sys/mman.h>

#include <new>

namespace rankscope::internal {

void* GrowMapping(void* old, std::size_t old_bytes, std::size_t new_bytes) {
  void* mapped = old_bytes == 0 ? mmap(nullptr, new_bytes, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                : mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE);
  if (mapped == MAP_FAILED) throw std::bad_alloc();  // as every other container does
  // Large columns are written from front to back: huge pages save most of their page faults.
  constexpr std::size_t kLarge = std::size_t{8} << 20;
  if (new_bytes >= kLarge) madvise(mapped, new_bytes, MADV_HUGEPAGE);
  return mapped;
}

void ReleaseMapping(void* data, std::size_t bytes) { munmap(data, bytes); }

}  // namespace rankscope::internal
