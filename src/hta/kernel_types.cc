#include "hta/kernel_types.h"

#include <algorithm>

#include "base/text.h"

namespace rankscope::hta {
namespace {

bool BeginsWithAny(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::string_view ToString(KernelType type) {
  switch (type) {
    case KernelType::kComputation:
      return "COMPUTATION";
    case KernelType::kCommunication:
      return "COMMUNICATION";
    case KernelType::kMemory:
      return "MEMORY";
    case KernelType::kOther:
      break;
  }
  return "OTHER";
}

KernelType KernelTypeOf(std::string_view name) {
  if (BeginsWithAny(name, {"nccl", "hip", "hccl"}) || Contains(name, "ncclKernel"))
    return KernelType::kCommunication;
  if (BeginsWithAny(name, {"Memcpy", "Memset", "dma"})) return KernelType::kMemory;
  const bool is_launch = name.starts_with("cuda") && Contains(name, "LaunchKernel");
  const bool is_other =
      is_launch || Contains(name, "Memcpy") || Contains(name, "Memset") || Contains(name, "dma") ||
      Contains(name, "Sync") ||
      BeginsWithAny(name, {"Stream Wait Event", "runFunction", "job_exe", "packet", "pe_exe",
                           "cpum_exe_subgraph", "collective_subgraph_execution"});
  return is_other ? KernelType::kOther : KernelType::kComputation;
}

std::string_view MemoryTypeOf(std::string_view name) {
  if (name.starts_with("Memset")) return "Memset";
  if (!name.starts_with("Memcpy")) return "Memcpy Unknown";
  return name.substr(0, std::string_view("Memcpy DtoH").size());
}

}  // namespace rankscope::hta
