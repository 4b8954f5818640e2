// A libcuda.so.1 without a device, which writes down how it was called.
#include <unistd.h>

#include "gpu_truth.h"

namespace {
fake::Truth& Of() {
  static fake::Truth truth(0x7e0000000000);
  return truth;
}
constexpr int kOutOfMemory = 2;
}  // namespace

extern "C" {
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  return Of().Allocate("cuMemAlloc_v2", bytes, address) ? 0 : kOutOfMemory;
}
int cuMemFree_v2(std::uint64_t address) {
  Of().Free("cuMemFree_v2", address);
  return 0;
}
int cuMemCreate(std::uint64_t* handle, std::size_t bytes, const void*, unsigned long long) {
  return Of().Allocate("cuMemCreate", bytes, handle) ? 0 : kOutOfMemory;
}
int cuMemRelease(std::uint64_t handle) {
  Of().Free("cuMemRelease", handle);
  return 0;
}
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**) {
  Of().Call("cuLaunchKernel");
  return 0;
}
int cuCtxSynchronize() {
  Of().Call("cuCtxSynchronize");
  usleep(200);
  return 0;
}
void FakeDriverTruth(const char* path) { Of().Write(path); }
}
