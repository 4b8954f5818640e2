// A libc10_cuda.so with the allocator that PyTorch has: its names, that it throws when there is no
// memory, and its static probes, written as <sys/sdt.h> writes them.
#include <new>

#include "gpu_truth.h"

extern "C" {
// What attached probes count up; nobody else writes them.
__attribute__((section(".probes"))) volatile unsigned short pytorch_malloc_semaphore;
__attribute__((section(".probes"))) volatile unsigned short pytorch_free_semaphore;
}

#define FAKE_NOTE(name, arguments)                                              \
  "990: nop\n"                                                                  \
  ".pushsection .note.stapsdt,\"\",\"note\"\n"                                  \
  ".balign 4\n .4byte 992f-991f, 994f-993f, 3\n"                                \
  "991: .asciz \"stapsdt\"\n992: .balign 4\n"                                   \
  "993: .8byte 990b\n .8byte _.stapsdt.base\n .8byte pytorch_" name             \
  "_semaphore\n .asciz \"pytorch\"\n .asciz \"" name "\"\n .asciz \"" arguments \
  "\"\n994: .balign 4\n.popsection\n"                                           \
  ".ifndef _.stapsdt.base\n"                                                    \
  ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"       \
  ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"    \
  ".size _.stapsdt.base, 1\n.popsection\n.endif\n"

namespace c10::cuda::CUDACachingAllocator::Native {

class NativeCachingAllocator {
 public:
  __attribute__((noinline)) void malloc(void** pointer, signed char device, std::size_t bytes,
                                        void* stream);
  __attribute__((noinline)) void free(void* pointer);
  fake::Truth truth{0x7c0000000000};
};

void NativeCachingAllocator::malloc(void** pointer, signed char device, std::size_t bytes,
                                    void* stream) {
  std::uint64_t address = 0;
  if (!truth.Allocate("malloc", bytes, &address)) throw std::bad_alloc();
  *pointer = reinterpret_cast<void*>(address);
#ifdef FAKE_SITES
  if (pytorch_malloc_semaphore != 0)
    asm volatile(FAKE_NOTE("malloc", "8@%0 -4@%1 8@%2 8@%3")
                 :
                 : "r"(address), "r"(static_cast<int>(device)), "m"(bytes), "r"(stream)
                 : "memory");
#else
  static_cast<void>(device);
  static_cast<void>(stream);
#endif
}

void NativeCachingAllocator::free(void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
#ifdef FAKE_SITES
  if (pytorch_free_semaphore != 0) asm volatile(FAKE_NOTE("free", "8@%0") : : "r"(address));
#endif
  truth.Free("free", address);
}

NativeCachingAllocator allocator;

}  // namespace c10::cuda::CUDACachingAllocator::Native

namespace native = c10::cuda::CUDACachingAllocator::Native;

extern "C" {
// As an operator of PyTorch: what was thrown becomes a value.
int FakeTensor(void** pointer, std::size_t bytes) {
  try {
    native::allocator.malloc(pointer, 0, bytes, nullptr);
  } catch (const std::bad_alloc&) {
    return 1;
  }
  return 0;
}
void FakeDelete(void* pointer) { native::allocator.free(pointer); }
void FakeAllocatorTruth(const char* path) { native::allocator.truth.Write(path); }
}
