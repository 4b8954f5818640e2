// A libcudart.so.12 that calls the fake driver, as the real one does, and writes down how it was
// called.
#include "gpu_truth.h"

namespace {
fake::Truth& Of() {
  static fake::Truth truth(0x7d0000000000);
  return truth;
}
}  // namespace

struct dim3 {
  unsigned x, y, z;
};

extern "C" {
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes);
int cuMemFree_v2(std::uint64_t address);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**);
int cuCtxSynchronize();

int cudaMalloc(void** pointer, std::size_t bytes) {
  std::uint64_t address = 0;
  const int status = cuMemAlloc_v2(&address, bytes);
  Of().Adopt("cudaMalloc", bytes, status == 0, address);
  if (status == 0) *pointer = reinterpret_cast<void*>(address);
  return status;
}
int cudaMallocAsync(void** pointer, std::size_t bytes, void*) {
  std::uint64_t own = 0;
  if (!Of().Allocate("cudaMallocAsync", bytes, &own)) return 2;
  *pointer = reinterpret_cast<void*>(own);
  return 0;
}
int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t rows) {
  *pitch = (width + 511) / 512 * 512;
  std::uint64_t own = 0;
  if (!Of().Allocate("cudaMallocPitch", *pitch * rows, &own)) return 2;
  *pointer = reinterpret_cast<void*>(own);
  return 0;
}
int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  std::uint64_t own = 0;
  if (!Of().Allocate("cudaHostAlloc", bytes, &own)) return 2;
  *pointer = reinterpret_cast<void*>(own);
  return 0;
}
// One of this level that calls another one of it through the linker.
int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  Of().Call("cudaMallocManaged", bytes);
  return cudaMalloc(pointer, bytes);
}
int cudaFree(void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  Of().Disown("cudaFree", address);
  return cuMemFree_v2(address);
}
int cudaFreeHost(void* pointer) {
  Of().Free("cudaFreeHost", reinterpret_cast<std::uint64_t>(pointer));
  return 0;
}
int cudaFreeAsync(void* pointer, void*) {
  Of().Free("cudaFreeAsync", reinterpret_cast<std::uint64_t>(pointer));
  return 0;
}
int cudaLaunchKernel(const void* function, dim3, dim3, void**, std::size_t, void*) {
  Of().Call("cudaLaunchKernel");
  return cuLaunchKernel(const_cast<void*>(function), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                        nullptr);
}
int cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, std::size_t, void*) {
  Of().Call("cudaLaunchKernel_ptsz");
  return 0;
}
int cudaDeviceSynchronize() {
  Of().Call("cudaDeviceSynchronize");
  return cuCtxSynchronize();
}
int cudaMemcpyAsync(void*, const void*, std::size_t bytes, int, void*) {
  Of().Call("cudaMemcpyAsync", bytes);
  return 0;
}
void FakeRuntimeTruth(const char* path) { Of().Write(path); }
}
