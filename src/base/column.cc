#include "base/column.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace rankscope::internal {
namespace {

constexpr std::size_t kLeastMapped = std::size_t{1} << 20;
// Large columns are written from front to back: huge pages save most of their page faults.
constexpr std::size_t kLeastOfHugePages = std::size_t{8} << 20;

bool IsMapped(std::size_t bytes) { return bytes >= kLeastMapped; }

void* GrowMapping(void* old, std::size_t old_bytes, std::size_t new_bytes) {
  void* mapped = old_bytes == 0 ? mmap(nullptr, new_bytes, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                : mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE);
  if (mapped == MAP_FAILED) throw std::bad_alloc();  // as every other container does
  if (new_bytes >= kLeastOfHugePages) madvise(mapped, new_bytes, MADV_HUGEPAGE);
  return mapped;
}

}  // namespace

void* GrowMemory(void* old, std::size_t old_bytes, std::size_t new_bytes) {
  if (old_bytes == 0) old = nullptr;
  if (IsMapped(old_bytes)) return GrowMapping(old, old_bytes, new_bytes);
  if (IsMapped(new_bytes)) {
    void* const mapped = GrowMapping(nullptr, 0, new_bytes);
    if (old_bytes > 0) std::memcpy(mapped, old, old_bytes);
    std::free(old);
    return mapped;
  }
  void* const grown = std::realloc(old, new_bytes);
  if (grown == nullptr) throw std::bad_alloc();
  std::memset(static_cast<char*>(grown) + old_bytes, 0, new_bytes - old_bytes);
  return grown;
}

void ReleaseMemory(void* data, std::size_t bytes) {
  if (IsMapped(bytes)) {
    munmap(data, bytes);
  } else {
    std::free(data);
  }
}

}  // namespace rankscope::internal
