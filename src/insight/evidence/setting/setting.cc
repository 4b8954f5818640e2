#include "insight/evidence/setting/setting.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "insight/evidence/setting/device_models.h"
#include "trace/step_names.h"
#include "trace/trace.h"

namespace rankscope {
namespace {

bool HasAny(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return Contains(text, part); });
}

Setting::Vendor VendorOf(std::string_view model) {
  using Vendor = Setting::Vendor;
  constexpr std::array<std::string_view, 8> kNvidia = {"NVIDIA", "Tesla", "GeForce", "Quadro",
                                                       "V100",   "A100",  "H100",    "H200"};
  constexpr std::array<std::string_view, 5> kAmd = {"AMD", "Instinct", "Radeon", "MI2", "MI3"};
  constexpr std::array<std::string_view, 2> kIntel = {"Intel", "Gaudi"};
  if (HasAny(model, kNvidia)) return Vendor::kNvidia;
  if (HasAny(model, kAmd)) return Vendor::kAmd;
  if (Contains(model, "TPU")) return Vendor::kGoogle;
  if (Contains(model, "Ascend")) return Vendor::kHuawei;
  if (HasAny(model, kIntel)) return Vendor::kIntel;
  return Vendor::kUnknown;
}

// NVIDIA's before Ampere, whose tensor cores, where there are some, take fp16 and int8 alone.
bool IsBeforeAmpere(std::string_view model) {
  constexpr std::array<std::string_view, 13> kModels = {
      "V100",    "T4",        "P100",    "P40",    "P4",    "K80",       "M60",
      "TITAN V", "TITAN RTX", "TITAN X", "RTX 20", "GTX 1", "Quadro RTX"};
  return HasAny(model, kModels);
}

struct Sign {
  std::string_view part;
  bool at_begin = false;
  bool IsIn(std::string_view name) const {
    return at_begin ? name.starts_with(part) : Contains(name, part);
  }
};

// Who of these is seen in a name.
template <typename Value>
struct Known {
  Sign sign;
  Value value;
};

constexpr std::array<Known<Setting::Engine>, 6> kEngines = {{
    {{"vllm/"}, Setting::Engine::kVllm},
    {{"vllm::"}, Setting::Engine::kVllm},
    {{"execute_context_", true}, Setting::Engine::kVllm},
    {{"sglang/"}, Setting::Engine::kSglang},
    {{"sgl_kernel"}, Setting::Engine::kSglang},
    {{"tensorrt_llm"}, Setting::Engine::kTensorRtLlm},
}};
constexpr std::array<Known<Setting::Trainer>, 7> kTrainers = {{
    {{"[pl]", true}, Setting::Trainer::kLightning},
    {{"lightning/pytorch/"}, Setting::Trainer::kLightning},
    {{"pytorch_lightning/"}, Setting::Trainer::kLightning},
    {{"megatron/"}, Setting::Trainer::kMegatron},
    {{"deepspeed/"}, Setting::Trainer::kDeepSpeed},
    {{"DeepSpeed"}, Setting::Trainer::kDeepSpeed},
    {{"transformers/trainer.py"}, Setting::Trainer::kTransformers},
}};
constexpr std::array<Sign, 5> kTorch = {
    {{"aten::", true}, {"c10d::", true}, {"torch/"}, {"autograd::", true}, {"nccl:", true}}};
constexpr std::array<Sign, 5> kJax = {
    {{"PjitFunction", true}, {"jit_", true}, {"jit(", true}, {"jax/"}, {"pmap_", true}}};
constexpr std::array<Sign, 4> kTensorFlow = {
    {{"tensorflow/"}, {"tf_function"}, {"StatefulPartitionedCall"}, {"gradient_tape/", true}}};

// Tables of recommenders, and experts of a mixture: both are exchanged with all-to-alls.
constexpr std::array<Sign, 6> kTables = {{{"fbgemm"},
                                          {"split_embedding"},
                                          {"embedding_bag"},
                                          {"EmbeddingBag"},
                                          {"KJTAllToAll"},
                                          {"torchrec"}}};
constexpr std::array<Sign, 7> kExperts = {
    {{"grouped_mm"}, {"grouped_gemm"}, {"GroupedGemm"}, {"moe"}, {"MoE"}, {"expert"}, {"Expert"}}};

template <typename Value, std::size_t kCount>
void Note(std::string_view name, const std::array<Known<Value>, kCount>& known, Value& seen) {
  if (seen != Value::kNone) return;
  for (const Known<Value>& one : known) {
    if (one.sign.IsIn(name)) seen = one.value;
  }
}

template <std::size_t kCount>
bool IsAny(std::string_view name, const std::array<Sign, kCount>& signs) {
  return std::any_of(signs.begin(), signs.end(), [&](const Sign& sign) { return sign.IsIn(name); });
}

}  // namespace

DeviceKind KindOfDevice(std::string_view model) {
  const Setting::Vendor vendor = VendorOf(model);
  const bool is_old = IsBeforeAmpere(model);
  return {.vendor = vendor,
          .has_bf16 = !is_old,
          .has_tf32 = !is_old && vendor != Setting::Vendor::kAmd};
}

Setting::Setting(const RuleInput& input) {
  for (const std::string_view model : DeviceModels(input)) {
    if (model.empty()) continue;
    const DeviceKind kind = KindOfDevice(model);
    if (vendor == Vendor::kUnknown) vendor = kind.vendor;
    has_bf16 = has_bf16 && kind.has_bf16;
    has_tf32 = has_tf32 && kind.has_tf32;
  }
  bool is_torch = false, is_jax = false, is_tensorflow = false;
  bool looks_up = false, has_experts = false;
  const auto note = [&](std::string_view name) {
    Note(name, kEngines, engine);
    Note(name, kTrainers, trainer);
    is_torch = is_torch || IsAny(name, kTorch);
    is_jax = is_jax || IsAny(name, kJax);
    is_tensorflow = is_tensorflow || IsAny(name, kTensorFlow);
    looks_up = looks_up || IsAny(name, kTables);
    has_experts = has_experts || IsAny(name, kExperts);
  };
  const JobGraph& graph = input.graph();
  for (const NodeKind& kind : graph.kinds()) {
    note(kind.name);
    if (!kind.op.empty()) note(kind.op);
    if (vendor == Vendor::kUnknown && !IsDevice(kind.work) && kind.name.starts_with("hip"))
      vendor = Vendor::kAmd;
  }
  for (const CodeSite& site : graph.sites()) note(site.function);
  has_tables = looks_up && !has_experts;
  is_serving = engine != Engine::kNone || std::ranges::any_of(graph.steps(), [](const auto& step) {
                 return step.phase != static_cast<std::int64_t>(StepPhase::kNone) &&
                        step.phase != static_cast<std::int64_t>(StepPhase::kOther) &&
                        step.phase != JobGraph::Step::kPhasesDiffer;
               });
  if (!is_torch && is_jax) framework = Framework::kJax;
  if (!is_torch && !is_jax && is_tensorflow) framework = Framework::kTensorFlow;
}

}  // namespace rankscope
