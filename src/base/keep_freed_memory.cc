#include "base/keep_freed_memory.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>

namespace rankscope {

void KeepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 8 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

void ReturnFreedMemory() {
#ifdef __GLIBC__
  // Setting them ends glibc's own adjusting of both.
  mallopt(M_MMAP_THRESHOLD, 512 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  mallopt(M_ARENA_MAX, 4);
#endif
}

void ShareArenasInLittleSpace() {
#ifdef __GLIBC__
  constexpr rlim_t kOfAnArena = rlim_t{2} << 30;
  constexpr rlim_t kEnough = 4;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0) return;
  const rlim_t arenas = std::max<rlim_t>(limit.rlim_cur / kOfAnArena, 1);
  if (arenas < kEnough) mallopt(M_ARENA_MAX, static_cast<int>(arenas));
#endif
}

void GiveBackFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace rankscope
