// no-tensor-cores: matrix products run in fp32 on vector units.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/products.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// The efficiency on matrix cores to expect of a product: what the job's others reach, where they
// are enough to tell, else what such products usually do.
double EfficiencyOf(const Products& products, const NodeKind& kind) {
  if (products.best > 0 && products.matrix_ns >= kEnoughToCompare * products.ns)
    return products.best;
  return kind.kernel_class == KernelClass::kConvolution ? kUsualEfficiencyOfConvolutions
                                                        : kUsualEfficiency;
}

// What the job's products would take on matrix cores, where they run elsewhere.
class Targets {
 public:
  explicit Targets(const RuleInput& input) : input_(input), products_(input.Shared<Products>()) {}

  // Returns what it takes now.
  double Add(const Product& product) {
    const auto ns = static_cast<double>(input_.graph().nodes()[product.node].duration_ns);
    const double efficiency = EfficiencyOf(products_, input_.graph().KindOf(product.node));
    const double target = std::max(kShortestProductNs, product.roof_ns / efficiency);
    if (target < ns) all_.emplace_back(product.node, target);
    return ns;
  }
  const std::vector<std::pair<NodeId, double>>& all() const { return all_; }

 private:
  const RuleInput& input_;
  const Products& products_;
  std::vector<std::pair<NodeId, double>> all_;  // node, ns
};

std::optional<Cause> FindNoTensorCores(const RuleInput& input) {
  const auto& products = input.Shared<Products>();
  Targets targets(input);
  double plain_ns = 0;
  for (const Product& product : products.all) {
    if (product.on_vector_units) plain_ns += targets.Add(product);
  }
  if (targets.all().empty()) return std::nullopt;
  double attention_ns = 0;
  for (const Product& product : products.attention_in_fp32) {
    const double ns = targets.Add(product);
    if (input.Counts(product.node)) attention_ns += ns;
  }
  std::optional<Cause> cause = CauseOfProducts(input, targets.all());
  if (!cause) return std::nullopt;
  cause->what =
      fmt::format("{} of the time of matrix products is in fp32 kernels that use no tensor cores",
                  PercentText(plain_ns / products.ns));
  if (attention_ns > 0) {
    const auto rank_steps = static_cast<double>(cause->ranks.size() * input.counted().size());
    cause->what += fmt::format("; attention in fp32 takes {}", TimeText(attention_ns / rank_steps));
  }
  cause->told_when_hidden = true;
  return cause;
}

constexpr std::array<Advice, 6> kNoTensorCoresAdvice = {{
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
      .find = FindNoTensorCores,
      .why =
          "kernels whose names say vector units (sgemm, simt, ffma) under ops whose shapes tensor "
          "cores take; replayed in 16 bits at the efficiency that this job's other products reach "
          "on them, else at half of the roof (convolutions: 40%)",
      .recommendation =
          "torch.autocast('cuda', dtype=torch.bfloat16), or "
          "torch.set_float32_matmul_precision('high') for TF32; pad dimensions to multiples of 8.",
      .command = "rankscope table roofline TRACES",
      .shown_in = {"roofline", "kernels_by_name"},
      .advice = kNoTensorCoresAdvice,
  };
  return kRule;
}

}  // namespace rankscope
