// A program that uses the fake CUDA runtime: gpu_program WORK FOLDER.
//
// It waits for a line, does its work, says "done", waits for another line, and writes the truth of
// both libraries into the folder.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

struct dim3 {
  unsigned x, y, z;
};

extern "C" {
int cudaMalloc(void**, std::size_t);
int cudaMallocAsync(void**, std::size_t, void*);
int cudaMallocPitch(void**, std::size_t*, std::size_t, std::size_t);
int cudaMallocManaged(void**, std::size_t, unsigned);
int cudaHostAlloc(void**, std::size_t, unsigned);
int cudaFree(void*);
int cudaFreeHost(void*);
int cudaFreeAsync(void*, void*);
int cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, void*);
int cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, std::size_t, void*);
int cudaDeviceSynchronize();
int cudaMemcpyAsync(void*, const void*, std::size_t, int, void*);
void FakeRuntimeTruth(const char*);
void FakeDriverTruth(const char*);
}

#define KEPT __attribute__((noinline, noclone))

// A host stub, as nvcc makes one for each kernel.
KEPT void ScaleKernel() { asm volatile(""); }

KEPT void* Keep(std::size_t bytes) {
  void* pointer = nullptr;
  if (cudaMalloc(&pointer, bytes) != 0) pointer = nullptr;
  asm volatile("" : : "r"(pointer) : "memory");
  return pointer;
}
KEPT void LeakyLoader() {
  Keep(4096);
  asm volatile("");
}
KEPT void Balanced() {
  cudaFree(Keep(1000));
  asm volatile("");
}
KEPT void AsksForTooMuch() {
  Keep(std::size_t{1} << 41);
  asm volatile("");
}
KEPT void LaunchOften() {
  for (int i = 0; i < 300; ++i)
    cudaLaunchKernel(reinterpret_cast<const void*>(&ScaleKernel), {1, 1, 1}, {1, 1, 1}, nullptr, 0,
                     nullptr);
  asm volatile("");
}
KEPT void LaunchOnce() {
  cudaLaunchKernel(reinterpret_cast<const void*>(&ScaleKernel), {1, 1, 1}, {1, 1, 1}, nullptr, 0,
                   nullptr);
  asm volatile("");
}

static void All(void* earlier) {
  for (int i = 0; i < 200; ++i) Balanced();
  for (int i = 0; i < 7; ++i) LeakyLoader();
  for (int i = 0; i < 3; ++i) AsksForTooMuch();
  cudaFree(earlier);
  void* pointer = nullptr;
  cudaMallocManaged(&pointer, 5000, 1);
  std::size_t pitch = 0;
  cudaMallocPitch(&pointer, &pitch, 100, 10);
  cudaHostAlloc(&pointer, 777, 0);
  cudaFreeHost(pointer);
  cudaHostAlloc(&pointer, 888, 0);
  cudaMallocAsync(&pointer, 333, nullptr);
  cudaFreeAsync(pointer, nullptr);
  LaunchOften();
  for (int i = 0; i < 5; ++i) LaunchOnce();
  cudaLaunchKernel_ptsz(nullptr, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr);
  for (int i = 0; i < 4; ++i) cudaDeviceSynchronize();
  for (int i = 0; i < 6; ++i) cudaMemcpyAsync(nullptr, nullptr, 1 << 20, 1, nullptr);
}

// Eight threads that are given each other's addresses.
static void Threads() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) Balanced();
      LeakyLoader();
    });
  }
  for (std::thread& one : threads) one.join();
}

// What the child does is not the parent's.
static void Fork() {
  for (int i = 0; i < 10; ++i) LeakyLoader();
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 50; ++i) LeakyLoader();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  for (int i = 0; i < 10; ++i) LeakyLoader();
}

// What a call takes of the processor, in ns: of launches, and of an allocation with its free. For
// each line that comes, until none does. Not by the wall's clock: others may want the core.
static void Time() {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000L + time.tv_nsec;
  };
  char line[64];
  do {
    const long begin = now();
    for (int i = 0; i < 20'000; ++i) LaunchOnce();
    const long middle = now();
    for (int i = 0; i < 5'000; ++i) Balanced();
    std::printf("%ld %ld\n", (middle - begin) / 20'000, (now() - middle) / 5'000);
    std::fflush(stdout);
  } while (std::fgets(line, sizeof(line), stdin) != nullptr);
}

static void Storm() {
  for (int i = 0; i < 200'000; ++i) LaunchOnce();
}

int main(int count, char** words) {
  if (count != 3) return 2;
  const std::string work = words[1], folder = words[2];
  void* earlier = nullptr;
  if (work == "all") cudaMalloc(&earlier, 64);
  char line[64];
  std::puts("ready");
  std::fflush(stdout);
  if (std::fgets(line, sizeof(line), stdin) == nullptr) return 1;
  if (work == "all") All(earlier);
  if (work == "threads") Threads();
  if (work == "fork") Fork();
  if (work == "storm") Storm();
  if (work == "time") {
    Time();
    return 0;
  }
  if (work == "end") {
    for (int i = 0; i < 12; ++i) LeakyLoader();
    FakeRuntimeTruth((folder + "/runtime.json").c_str());
    return 0;
  }
  std::puts("done");
  std::fflush(stdout);
  if (std::fgets(line, sizeof(line), stdin) == nullptr) return 1;
  FakeRuntimeTruth((folder + "/runtime.json").c_str());
  FakeDriverTruth((folder + "/driver.json").c_str());
  return 0;
}
