#include "base/keep_freed_memory.h"

#include <malloc.h>

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

void GiveBackFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace rankscope
