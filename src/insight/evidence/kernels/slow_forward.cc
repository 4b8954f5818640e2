#include "insight/evidence/kernels/slow_forward.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "base/text.h"
#include "insight/evidence/kernels/awkward_size.h"
#include "insight/evidence/kernels/roof.h"
#include "insight/evidence/loss/kinds_that.h"
#include "op_cost/base/op_inputs.h"

namespace rankscope {
namespace {

constexpr double kFarSlower = 5;
constexpr std::string_view kBackward = "Backward";

// Elementwise or the like: products and attention compute more than they read, and losses compute
// gradients in their forward.
bool MayBeOwn(const NodeKind& kind) {
  constexpr std::array<KernelClass, 6> kAny = {
      KernelClass::kElementwise,  KernelClass::kReduction, KernelClass::kIndexing,
      KernelClass::kDataMovement, KernelClass::kTriton,    KernelClass::kOther};
  constexpr std::array<std::string_view, 7> kOthers = {"Attention", "Attn", "Loss",  "Entropy",
                                                       "Linear",    "Scan", "Matmul"};
  return kind.work == Work::kCompute && !kind.op.empty() && !Contains(kind.op, "::") &&
         std::ranges::find(kAny, kind.kernel_class) != kAny.end() &&
         std::ranges::none_of(kOthers, [&](std::string_view part) {
           return Contains(kind.op, part) || Contains(kind.name, part);
         });
}

// Bytes of the inputs; 0: not known, or of more than two tensors.
double BytesOfInputs(const NodeKind& kind) {
  std::vector<std::vector<std::int64_t>> inputs = SizesOf(kind.shapes);
  std::erase_if(inputs, [](const auto& sizes) { return sizes.empty(); });
  if (inputs.size() > 2) return 0;
  double values = 0;
  for (const std::vector<std::int64_t>& sizes : inputs) {
    double of = 1;
    for (const std::int64_t size : sizes) of *= static_cast<double>(size);
    values += of;
  }
  constexpr double kUsualBytes = 4;
  return values * BytesOfDtype(kind.dtype).value_or(kUsualBytes);
}

struct OfOp {
  double forward_ns = 0, backward_ns = 0, copy_ns = 0;
  bool has_unknown = false;  // kernels whose inputs are not known
};

std::map<std::string_view, OfOp> OwnOps(const RuleInput& input) {
  constexpr double kNsPerSecond = 1e9;
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  const KindsThat are_own(input.graph(), MayBeOwn);
  std::map<std::string_view, OfOp> ops;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (!are_own.Has(node)) return;
    const auto ns = static_cast<double>(input.graph().nodes().DurationOf(node));
    std::string_view op = kind.op;
    if (op.ends_with(kBackward)) {
      op.remove_suffix(kBackward.size());
      ops[op].backward_ns += ns;
      return;
    }
    OfOp& of = ops[op];
    of.forward_ns += ns;
    const DevicePeaks* const device = peaks[input.RankOf(node)];
    const double bytes = 2 * BytesOfInputs(kind);
    of.has_unknown |= bytes <= 0 || device == nullptr || device->memory.value <= 0;
    if (!of.has_unknown) of.copy_ns += kNsPerSecond * bytes / device->memory.value;
  });
  return ops;
}

}  // namespace

std::optional<SlowForward> SlowForwardOf(const RuleInput& input) {
  std::map<std::string_view, OfOp> ops = OwnOps(input);
  std::erase_if(ops, [](const auto& entry) {
    const OfOp& of = entry.second;
    return of.has_unknown || of.backward_ns <= 0 || of.forward_ns < kFarSlower * of.backward_ns ||
           of.forward_ns < kFarSlower * of.copy_ns;
  });
  if (ops.empty()) return std::nullopt;
  const auto most =
      std::ranges::max_element(ops, {}, [](const auto& entry) { return entry.second.forward_ns; });
  const std::string_view op = most->first;
  const OfOp& of = most->second;
  return SlowForward{
      .op = op,
      .forward =
          SelectKinds(input, [&](const NodeKind& kind) { return MayBeOwn(kind) && kind.op == op; }),
      .of_backward = of.forward_ns / of.backward_ns,
      .of_copy = of.forward_ns / of.copy_ns};
}

}  // namespace rankscope
