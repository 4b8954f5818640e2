// no-tensor-cores: matrix products run in fp32 on vector units.
#include <fmt/core.h>

#include <array>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/products.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> Find(const RuleInput& input) {
  const auto& products = input.Shared<Products>();
  const double efficiency = products.best > 0 ? products.best : kUsualEfficiency;
  std::vector<std::pair<NodeId, double>> targets;
  double plain_ns = 0;
  for (const Product& product : products.all) {
    if (!product.on_vector_units) continue;
    const auto ns = static_cast<double>(input.graph().nodes()[product.node].duration_ns);
    const double target = product.roof_ns / efficiency;
    if (target < ns) targets.emplace_back(product.node, target);
    plain_ns += ns;
  }
  std::optional<Cause> cause = CauseOfProducts(input, targets);
  if (!cause) return std::nullopt;
  cause->what =
      fmt::format("{} of the time of matrix products is in fp32 kernels that use no tensor cores",
                  PercentText(plain_ns / products.ns));
  return cause;
}

constexpr std::array<Advice, 6> kAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "Compute in bfloat16 (cast parameters and inputs to jnp.bfloat16), or "
     "jax.default_matmul_precision('tensorfloat32'); pad dimensions to multiples of 8."},
    {[](const Setting& of) { return of.IsTensorFlow(); },
     "tf.keras.mixed_precision.set_global_policy('mixed_bfloat16') ('mixed_float16' before "
     "Ampere); pad dimensions to multiples of 8."},
    {[](const Setting& of) { return !of.has_bf16; },
     "torch.autocast('cuda', dtype=torch.float16) with torch.amp.GradScaler: the tensor cores of "
     "this device take fp16, neither bf16 nor TF32. Pad dimensions to multiples of 8."},
    {[](const Setting& of) { return of.trainer == Setting::Trainer::kLightning; },
     "Trainer(precision='bf16-mixed'), and torch.set_float32_matmul_precision('high') for what "
     "stays in fp32; pad dimensions to multiples of 8."},
    {[](const Setting& of) { return of.trainer == Setting::Trainer::kTransformers; },
     "TrainingArguments(bf16=True, tf32=True); pad dimensions to multiples of 8 "
     "(pad_to_multiple_of=8 in the collator)."},
    {[](const Setting& of) { return of.IsAmd(); },
     "torch.autocast('cuda', dtype=torch.bfloat16): matrix cores of AMD's devices take bf16 and "
     "fp16 several times as fast as fp32, and there is no TF32. Pad dimensions to multiples of "
     "16."},
}};

}  // namespace

const Rule& NoTensorCoresRule() {
  static const Rule kRule{
      .id = "no-tensor-cores",
      .summary = "matrix kernels run without tensor cores",
      .find = Find,
      .why =
          "kernels whose names say vector units (sgemm, simt) under ops whose shapes tensor cores "
          "take; replayed at the efficiency that this job's other products reach on them",
      .recommendation =
          "torch.autocast('cuda', dtype=torch.bfloat16), or "
          "torch.set_float32_matmul_precision('high') for TF32; pad dimensions to multiples of 8.",
      .command = "rankscope table roofline TRACES",
      .advice = kAdvice,
  };
  return kRule;
}

}  // namespace rankscope
