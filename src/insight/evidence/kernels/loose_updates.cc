#include "insight/evidence/kernels/loose_updates.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/device_streams.h"
#include "insight/evidence/loss/kinds_that.h"

namespace rankscope {
namespace {

// Of one tensor each: the norms of gradients.
bool IsNorm(const NodeKind& kind) {
  return kind.op == "aten::linalg_vector_norm" || kind.op == "aten::norm" ||
         kind.op == "aten::linalg_norm";
}

bool IsBehindBackward(const NodeKind& kind) {
  return kind.work == Work::kCompute && kind.phase == Phase::kAfter &&
         (kind.kernel_class == KernelClass::kElementwise || IsNorm(kind));
}

bool WorksOnOneTensor(const NodeKind& kind) {
  constexpr std::array<std::string_view, 7> kOps = {
      "aten::mul_",     "aten::add_",     "aten::sub_", "aten::div_",
      "aten::addcmul_", "aten::addcdiv_", "aten::lerp_"};
  return IsBehindBackward(kind) && (IsNorm(kind) || std::ranges::find(kOps, kind.op) != kOps.end());
}

// The updates of runs that are long enough.
class Runs {
 public:
  Runs(const RuleInput& input, Selection& updates)
      : graph_(input.graph()),
        are_elementwise_(graph_, IsBehindBackward),
        are_updates_(graph_, WorksOnOneTensor),
        updates_(updates) {
    if (are_updates_.None()) return;
    for (const std::vector<NodeId>& stream : input.Shared<DeviceStreams>().nodes) Walk(stream);
  }

 private:
  void Walk(const std::vector<NodeId>& stream) {
    for (const NodeId node : stream) {
      if (!are_elementwise_.Has(node) || graph_.StepOf(node) == kNoStep) {
        Close();
      } else if (are_updates_.Has(node)) {
        run_.push_back(node);
      }
    }
    Close();
  }
  void Close() {
    constexpr std::size_t kLeastRun = 8;
    if (run_.size() >= kLeastRun) {
      for (const NodeId node : run_) updates_.Add(node);
    }
    run_.clear();
  }

  const JobGraph& graph_;
  const KindsThat are_elementwise_, are_updates_;
  Selection& updates_;
  std::vector<NodeId> run_;
};

LooseUpdates::Of KindOfUpdates(const RuleInput& input, const Selection& updates) {
  constexpr double kSome = 0.1, kPair = 0.4;
  constexpr double kNorms = 0.3;
  double multiplied = 0, added = 0, divided = 0, norms = 0;
  const auto& nodes = updates.sums().nodes();
  for (const NodeId node : nodes) {
    const std::string& op = input.graph().KindOf(node).op;
    multiplied += op == "aten::mul_" ? 1 : 0;
    added += op == "aten::add_" ? 1 : 0;
    divided += op == "aten::addcdiv_" ? 1 : 0;
    norms += IsNorm(input.graph().KindOf(node)) ? 1 : 0;
  }
  const auto all = static_cast<double>(nodes.size());
  if (divided >= kSome * all) return LooseUpdates::Of::kOptimizer;
  if (norms >= kNorms * all) return LooseUpdates::Of::kClipping;
  if (multiplied >= kPair * all && added >= kPair * all) return LooseUpdates::Of::kAverage;
  return LooseUpdates::Of::kOther;
}

}  // namespace

LooseUpdates::LooseUpdates(const RuleInput& input) : updates(input) {
  const Runs runs(input, updates);
  are_many = updates.sums().CountPerStep() >= static_cast<double>(kManyUpdates);
  if (are_many) of = KindOfUpdates(input, updates);
}

}  // namespace rankscope
