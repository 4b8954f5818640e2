// A libamdhip64.so.6 without a device, which writes down how it was called. Its symbols have
// versions, as those of the real one.
#include "gpu_truth.h"

namespace {
fake::Truth& Of() {
  static fake::Truth truth(0x7e0000000000);
  return truth;
}
}  // namespace

extern "C" {
int hipMalloc(void** pointer, std::size_t bytes) {
  std::uint64_t own = 0;
  if (!Of().Allocate("hipMalloc", bytes, &own)) return 2;
  *pointer = reinterpret_cast<void*>(own);
  return 0;
}
int hipFree(void* pointer) {
  Of().Free("hipFree", reinterpret_cast<std::uint64_t>(pointer));
  return 0;
}
int hipModuleLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, void*, void**, void**) {
  Of().Call("hipModuleLaunchKernel");
  return 0;
}
int hipStreamSynchronize(void*) {
  Of().Call("hipStreamSynchronize");
  return 0;
}
void FakeHipTruth(const char* path) { Of().Write(path); }
}
