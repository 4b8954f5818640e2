#include "facts/kernel_class.h"

#include <algorithm>

#include "facts/ascend_kernels.h"
#include "facts/kernel_rules.h"

namespace rankscope {
namespace {

bool IsAmd(const RankTrace& trace) {
  for (const DeviceProperties& device : trace.meta.devices) {
    if (device.name.starts_with("AMD")) return true;
  }
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] == EventKind::kRuntime) {
      const std::string_view name = trace.name_of(row);
      if (name.starts_with("hip")) return true;
      if (name.starts_with("cu")) return false;
    }
  }
  return false;
}

bool IsAscend(const RankTrace& trace) {
  return std::any_of(
      trace.meta.devices.begin(), trace.meta.devices.end(),
      [](const DeviceProperties& device) { return device.name.starts_with("Ascend"); });
}

}  // namespace

std::string_view ToString(WorkClass work) {
  static constexpr std::string_view kNames[kWorkClassCount] = {"compute", "communication", "copy"};
  return kNames[static_cast<int>(work)];
}

std::string_view ToString(KernelClass kernel_class) {
  static constexpr std::string_view kNames[kKernelClassCount] = {"gemm",
                                                                 "convolution",
                                                                 "attention",
                                                                 "normalisation",
                                                                 "elementwise",
                                                                 "reduction",
                                                                 "embedding",
                                                                 "optimizer",
                                                                 "indexing",
                                                                 "data_movement",
                                                                 "triton",
                                                                 "other",
                                                                 "nccl",
                                                                 "rccl",
                                                                 "custom_all_reduce",
                                                                 "other_communication",
                                                                 "memory"};
  return kNames[static_cast<int>(kernel_class)];
}

WorkClass WorkOf(KernelClass kernel_class) {
  if (kernel_class == KernelClass::kMemory) return WorkClass::kCopy;
  return kernel_class >= KernelClass::kNccl ? WorkClass::kCommunication : WorkClass::kCompute;
}

WorkClassifier::WorkClassifier(const RankTrace& trace, const KernelRules& rules)
    : trace_(trace), by_name_(trace.strings.size(), KernelClass::kOther) {
  const bool is_amd = IsAmd(trace);
  const bool is_ascend = IsAscend(trace);
  std::vector<std::uint8_t> is_known(trace.strings.size());
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      const StringId name = trace.name[row];
      if (is_known[name] || !IsDeviceWork(trace.kind[row])) continue;
      is_known[name] = 1;
      const std::string_view category = trace.strings.Get(trace.categories[trace.category[row]]);
      KernelClass& of_name = by_name_[name];
      of_name = rules.ClassOf(trace.strings.Get(name), category, is_amd);
      if (of_name == KernelClass::kOther && is_ascend)
        of_name = ClassOfAscendKernel(trace.strings.Get(name));
    }
  }
}

}  // namespace rankscope
