// The setting of a job, from its recordings, for recommendations.
#pragma once

#include <cstdint>
#include <string_view>

#include "insight/base/rule_input.h"

namespace rankscope {

struct Setting {
  enum class Vendor : std::uint8_t { kUnknown, kNvidia, kAmd, kGoogle, kHuawei, kIntel };
  enum class Framework : std::uint8_t { kTorch, kJax, kTensorFlow };
  enum class Engine : std::uint8_t { kNone, kVllm, kSglang, kTensorRtLlm };
  enum class Trainer : std::uint8_t { kNone, kLightning, kTransformers, kDeepSpeed, kMegatron };

  // By names of devices, ops, calls, frames and annotations. O(kinds + sites of code).
  explicit Setting(const RuleInput& input);

  Vendor vendor = Vendor::kUnknown;
  Framework framework = Framework::kTorch;  // PyTorch where nothing shows another one
  Engine engine = Engine::kNone;
  Trainer trainer = Trainer::kNone;
  // A server's steps, by its engine or by what marks them (prefill, decode).
  bool is_serving = false;
  // Looks up sharded embedding tables (embedding bags, FBGEMM, TorchRec), and has no experts.
  bool has_tables = false;
  // For all named devices; true if there are none. Tensor cores of V100 and T4 take fp16 alone.
  bool has_bf16 = true;
  bool has_tf32 = true;

  bool IsAmd() const { return vendor == Vendor::kAmd; }
  bool IsJax() const { return framework == Framework::kJax; }
  bool IsTensorFlow() const { return framework == Framework::kTensorFlow; }
};

// The kind of a device with that name ("NVIDIA H100"), as far as names show it.
struct DeviceKind {
  Setting::Vendor vendor = Setting::Vendor::kUnknown;
  bool has_bf16 = true;
  bool has_tf32 = true;
};
DeviceKind KindOfDevice(std::string_view model);

// A text for some settings.
struct Advice {
  bool (*fits)(const Setting&) = nullptr;
  const char* text = nullptr;
};

}  // namespace rankscope
