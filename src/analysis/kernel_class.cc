#include "analysis/kernel_class.h"

#include <array>

namespace rankscope {
namespace {

// Kernels that begin so.
constexpr std::array<std::string_view, 7> kPrefixes = {"nccl", "rccl",    "hccl",   "oneccl",
                                                       "ccl_", "nvshmem", "mscclpp"};
// Kernels that hold this anywhere.
constexpr std::array<std::string_view, 11> kParts = {
    "ncclKernel",          "ncclDevKernel",       "cross_device_reduce", "multimem_all_reduce",
    "multimem_all_gather", "one_shot_all_reduce", "two_shot_all_reduce", "allreduce_fusion_kernel",
    "deep_ep::",           "nvshmemi_",           "symm_mem_all"};

}  // namespace

std::string_view ToString(WorkClass work) {
  static constexpr std::string_view kNames[] = {"compute", "communication", "copy"};
  return kNames[static_cast<int>(work)];
}

bool IsCommunicationKernel(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    if (name.starts_with(prefix)) return true;
  }
  for (const std::string_view part : kParts) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

WorkClassifier::WorkClassifier(const RankTrace& trace) : trace_(trace) {
  by_name_.reserve(trace.strings.size());
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    const std::string_view name = trace.strings.Get(id);
    const bool is_copy = name.starts_with("Memcpy") || name.starts_with("Memset");
    by_name_.push_back(is_copy                       ? WorkClass::kCopy
                       : IsCommunicationKernel(name) ? WorkClass::kCommunication
                                                     : WorkClass::kCompute);
  }
}

}  // namespace rankscope
