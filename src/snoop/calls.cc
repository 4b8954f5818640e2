#include "snoop/calls.h"

#include <array>
#include <map>
#include <utility>

#include "cpu_profile/native/symbols.h"

namespace rankscope::snoop {
namespace {

// Suffixes of variants for the default stream of each thread, with the same arguments.
constexpr std::array<std::string_view, 4> kVariants = {"", "_ptsz", "_ptds", "_spt"};

class List {
 public:
  List() {
    CudaRuntime();
    CudaDriver();
    Hip();
  }
  const Call* Find(Level level, std::string_view name) const {
    const auto found = calls_.find({level, std::string(name)});
    return found == calls_.end() ? nullptr : &found->second;
  }

 private:
  Call& Add(Level level, std::string_view name, CallKind kind, Where where = Where::kDevice) {
    Call call;
    call.name = name;
    call.level = level;
    call.where = where;
    call.at.kind = kind;
    call.at.level = static_cast<__u32>(level);
    return calls_[{level, call.name}] = call;
  }
  // status = NAME(&result, bytes, ...)
  void Allocates(Level level, std::string_view name, Where where = Where::kDevice) {
    for (const std::string_view variant : kVariants) {
      Call& call = Add(level, std::string(name) + std::string(variant), kAllocate, where);
      call.at.address = Argument(0);
      call.at.size = Argument(1);
    }
  }
  // status = NAME(&result, &bytes of a row, width, rows, ...)
  void AllocatesRows(Level level, std::string_view name) {
    Call& call = Add(level, name, kAllocate);
    call.at.address = Argument(0);
    call.at.pitch = Argument(1);
    call.at.size = Argument(3);
  }
  void Frees(Level level, std::string_view name, Where where = Where::kDevice) {
    for (const std::string_view variant : kVariants)
      Add(level, std::string(name) + std::string(variant), kFree, where).at.address = Argument(0);
  }
  // `function`: which argument says what is launched; -1: none.
  void Launches(Level level, std::string_view name, int function) {
    for (const std::string_view variant : kVariants) {
      Call& call = Add(level, std::string(name) + std::string(variant), kLaunch);
      if (function >= 0) call.at.detail = Argument(function);
    }
  }
  void Waits(Level level, std::string_view name) {
    for (const std::string_view variant : kVariants)
      Add(level, std::string(name) + std::string(variant), kWait);
  }
  void Copies(Level level, std::string_view name, int bytes) {
    for (const std::string_view variant : kVariants)
      Add(level, std::string(name) + std::string(variant), kCopy).at.size = Argument(bytes);
  }

  void CudaRuntime() {
    constexpr Level kLevel = Level::kRuntime;
    for (const auto* name :
         {"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cudaMallocFromPoolAsync"})
      Allocates(kLevel, name);
    for (const auto* name : {"cudaMallocHost", "cudaHostAlloc"})
      Allocates(kLevel, name, Where::kHost);
    AllocatesRows(kLevel, "cudaMallocPitch");
    for (const auto* name : {"cudaFree", "cudaFreeAsync"}) Frees(kLevel, name);
    Frees(kLevel, "cudaFreeHost", Where::kHost);
    for (const auto* name : {"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaGraphLaunch"})
      Launches(kLevel, name, 0);
    Launches(kLevel, "cudaLaunchKernelExC", 1);
    for (const auto* name :
         {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize"})
      Waits(kLevel, name);
    for (const auto* name : {"cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync"})
      Copies(kLevel, name, 2);
  }
  void CudaDriver() {
    constexpr Level kLevel = Level::kDriver;
    for (const auto* name :
         {"cuMemAlloc_v2", "cuMemAllocManaged", "cuMemAllocAsync", "cuMemAllocFromPoolAsync"})
      Allocates(kLevel, name);
    for (const auto* name : {"cuMemAllocHost_v2", "cuMemHostAlloc"})
      Allocates(kLevel, name, Where::kHost);
    Allocates(kLevel, "cuMemCreate", Where::kPhysical);
    AllocatesRows(kLevel, "cuMemAllocPitch_v2");
    for (const auto* name : {"cuMemFree_v2", "cuMemFreeAsync"}) Frees(kLevel, name);
    Frees(kLevel, "cuMemFreeHost", Where::kHost);
    Frees(kLevel, "cuMemRelease", Where::kPhysical);
    for (const auto* name : {"cuLaunchKernel", "cuLaunchCooperativeKernel", "cuGraphLaunch"})
      Launches(kLevel, name, 0);
    Launches(kLevel, "cuLaunchKernelEx", 1);
    for (const auto* name :
         {"cuCtxSynchronize", "cuCtxSynchronize_v2", "cuStreamSynchronize", "cuEventSynchronize"})
      Waits(kLevel, name);
    for (const auto* name :
         {"cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemcpyDtoD_v2", "cuMemcpyHtoDAsync_v2",
          "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuMemcpy", "cuMemcpyAsync"})
      Copies(kLevel, name, 2);
  }
  void Hip() {
    constexpr Level kLevel = Level::kHip;
    for (const auto* name :
         {"hipMalloc", "hipMallocManaged", "hipMallocAsync", "hipExtMallocWithFlags"})
      Allocates(kLevel, name);
    for (const auto* name : {"hipMallocHost", "hipHostMalloc", "hipHostAlloc"})
      Allocates(kLevel, name, Where::kHost);
    Allocates(kLevel, "hipMemCreate", Where::kPhysical);
    AllocatesRows(kLevel, "hipMallocPitch");
    for (const auto* name : {"hipFree", "hipFreeAsync"}) Frees(kLevel, name);
    for (const auto* name : {"hipFreeHost", "hipHostFree"}) Frees(kLevel, name, Where::kHost);
    Frees(kLevel, "hipMemRelease", Where::kPhysical);
    for (const auto* name :
         {"hipLaunchKernel", "hipExtLaunchKernel", "hipModuleLaunchKernel", "hipGraphLaunch"})
      Launches(kLevel, name, 0);
    for (const auto* name : {"hipDeviceSynchronize", "hipStreamSynchronize", "hipEventSynchronize"})
      Waits(kLevel, name);
    for (const auto* name : {"hipMemcpy", "hipMemcpyAsync", "hipMemset", "hipMemsetAsync"})
      Copies(kLevel, name, 2);
  }

  std::map<std::pair<Level, std::string>, Call> calls_;
};

}  // namespace

std::string_view ToString(Level level) {
  switch (level) {
    case Level::kAllocator:
      return "PyTorch's allocator";
    case Level::kRuntime:
      return "CUDA runtime";
    case Level::kHip:
      return "HIP";
    case Level::kDriver:
      return "CUDA driver";
  }
  return "";
}

std::string_view ToString(Where where) {
  switch (where) {
    case Where::kDevice:
      return "device";
    case Where::kHost:
      return "pinned host";
    case Where::kPhysical:
      return "device, by handle";
  }
  return "";
}

SourceOf Argument(int number, std::int8_t bytes) {
  // di, si, dx, cx, r8, r9 by the numbers of DWARF.
  constexpr std::array<std::uint8_t, 6> kRegisterOf = {5, 4, 1, 2, 8, 9};
  SourceOf source{};
  source.how = kInRegister;
  source.reg = kRegisterOf[static_cast<std::size_t>(number)];
  source.bytes = bytes;
  return source;
}

const Call* FindCall(Level level, std::string_view name) {
  static const List kList;
  return kList.Find(level, name.substr(0, name.find('@')));
}

bool IsAllocatorMethod(std::string_view mangled, Call& call) {
  // c10::cuda::CUDACachingAllocator::raw_alloc(unsigned long)
  // c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::malloc(void**, signed char,
  //     unsigned long, CUstream_st*)
  // The compiler parts functions: ...4freeEPv.cold is no other one.
  if (mangled.find("CachingAllocator") == std::string_view::npos ||
      mangled.find('.') != std::string_view::npos)
    return false;
  const std::string name = cpu_profile::Demangled(mangled.substr(0, mangled.find('@')));
  const std::size_t end = name.find('(');
  if (end == std::string::npos || !name.starts_with("c10::")) return false;
  const std::string_view path = std::string_view(name).substr(0, end);
  const std::string_view method = path.substr(path.rfind(':') + 1);
  const bool is_method = path.find("CachingAllocator::Native::") != std::string_view::npos ||
                         path.find("CachingDeviceAllocator") != std::string_view::npos;
  call = Call();
  call.name = path;
  call.level = Level::kAllocator;
  call.at.level = static_cast<__u32>(Level::kAllocator);
  // The first argument of a method is `this`.
  if (method == "malloc" && is_method) {
    call.at.kind = kAllocateThrow;
    call.at.size = Argument(3);
    return true;
  }
  if (method == "raw_alloc" || method == "raw_delete" || (method == "free" && is_method)) {
    call.at.kind = method == "raw_alloc" ? kAllocateThrow : kFree;
    (method == "raw_alloc" ? call.at.size : call.at.address) = Argument(is_method ? 1 : 0);
    return true;
  }
  return false;
}

}  // namespace rankscope::snoop
