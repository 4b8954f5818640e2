#include "formats/kineto/kinds.h"

namespace rankscope::kineto {
namespace {

struct CategoryKind {
  std::string_view category;
  EventKind kind;
};

constexpr CategoryKind kCategories[] = {
    {"cpu_op", EventKind::kCpuOp},
    {"Operator", EventKind::kCpuOp},  // 2020-2022
    {"user_annotation", EventKind::kUserAnnotation},
    {"python_function", EventKind::kPythonFunction},
    {"cuda_runtime", EventKind::kRuntime},
    {"cuda_driver", EventKind::kRuntime},
    {"Runtime", EventKind::kRuntime},
    {"hip_runtime", EventKind::kRuntime},
    {"mtia_runtime", EventKind::kRuntime},
    {"xpu_runtime", EventKind::kRuntime},
    {"xpu_driver", EventKind::kRuntime},
    {"glow_runtime", EventKind::kRuntime},
    {"privateuse1_runtime", EventKind::kRuntime},
    {"privateuse1_driver", EventKind::kRuntime},
    {"kernel", EventKind::kKernel},
    {"Kernel", EventKind::kKernel},
    {"mtia_ccp_events", EventKind::kKernel},
    {"hpu_op", EventKind::kKernel},
    {"gpu_memcpy", EventKind::kMemcpy},
    {"Memcpy", EventKind::kMemcpy},
    {"gpu_memset", EventKind::kMemset},
    {"Memset", EventKind::kMemset},
    {"cuda_sync", EventKind::kDeviceSync},
    {"cuda_event", EventKind::kDeviceSync},
    {"gpu_user_annotation", EventKind::kDeviceAnnotation},
    {"overhead", EventKind::kOverhead},
    {"cuda_profiler_range", EventKind::kProfilerRange},
    {"cpu_instant_event", EventKind::kInstant},
    {"cpu_sample", EventKind::kCpuSample},  // the agent's own
};

}  // namespace

EventKind KindOfCategory(std::string_view category) {
  for (const auto& [known, kind] : kCategories) {
    if (known == category) return kind;
  }
  return EventKind::kOther;
}

EventKind KindOfMtiaWork(std::string_view name) {
  if (name == "event_wait" || name == "event_record") return EventKind::kDeviceSync;
  if (name.starts_with("dma")) return EventKind::kMemcpy;
  return EventKind::kKernel;
}

bool IsLaunchFlow(std::string_view category) {
  return category == "ac2g" || category == "async_cpu_to_gpu" || category == "async_gpu";
}

}  // namespace rankscope::kineto
