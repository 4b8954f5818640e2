#include "analysis/kernel_class.h"

#include <array>
#include <cctype>
#include <string>

namespace rankscope {
namespace {

// Kernels that begin so.
constexpr std::array<std::string_view, 9> kPrefixes = {
    "nccl", "rccl", "hccl", "oneccl", "ccl_", "nvshmem", "mscclpp", "quickreduce", "userbuffers"};
// Kernels whose name, in lower case, holds this anywhere: libraries, and operations as libraries
// spell them.
constexpr std::array<std::string_view, 16> kParts = {
    "ncclkernel",     "nccldevkernel", "cross_device_reduce", "deep_ep::",  "nvshmemi_",
    "symm_mem",       "quickreduce",   "userbuffers",         "all_reduce", "allreduce",
    "reduce_scatter", "all_gather",    "allgather",           "all_to_all", "alltoall",
    "reducescatter"};

}  // namespace

std::string_view ToString(WorkClass work) {
  static constexpr std::string_view kNames[] = {"compute", "communication", "copy"};
  return kNames[static_cast<int>(work)];
}

bool IsCommunicationKernel(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    if (name.starts_with(prefix)) return true;
  }
  // Inductor names its kernels after the ops they compute for.
  if (name.starts_with("triton_")) return false;
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view part : kParts) {
    if (lower.find(part) != std::string::npos) return true;
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
