// optimizer-on-host: gradients are copied to the host, the optimizer runs there, and parameters are
// copied back.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/copies/copy_direction.h"
#include "base/interval.h"
#include "base/letter_case.h"
#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/host_work/host_stretches.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/steps/step_parts.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// A copy takes this part of the update that it feeds, at least: what is updated goes over the bus.
constexpr double kLeastCopied = 0.02;

// A word of letters, in lower case, that names an optimizer: "adamw", "deepspeedcpuadam",
// "optimizer".
bool NamesOptimizer(std::string_view word) {
  constexpr std::array<std::string_view, 3> kWhole = {"sgd", "lion", "lamb"};
  constexpr std::array<std::string_view, 5> kEnds = {"adam", "adamw", "adagrad", "lamb",
                                                     "optimizer"};
  return std::find(kWhole.begin(), kWhole.end(), word) != kWhole.end() ||
         std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return word.ends_with(end); });
}

// Of an optimizer, or the arithmetic on tensors that one does.
bool IsOfOptimizer(std::string_view name) {
  constexpr std::array<std::string_view, 7> kArithmetic = {
      "aten::add_", "aten::mul_", "aten::lerp_",   "aten::addc",
      "aten::sqrt", "aten::div_", "aten::_foreach"};
  if (std::any_of(kArithmetic.begin(), kArithmetic.end(),
                  [&](std::string_view begin) { return name.starts_with(begin); }))
    return true;
  std::string word;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const char letter = i < name.size() ? LowerCase(name[i]) : ' ';
    if (letter >= 'a' && letter <= 'z') {
      word.push_back(letter);
      continue;
    }
    if (NamesOptimizer(word)) return true;
    word.clear();
  }
  return false;
}

// By the op or row that takes most of it, or the line that it is in: not a line of logging.
bool IsOfOptimizer(const JobGraph& graph, NodeId node) {
  const NodeKind& kind = graph.KindOf(node);
  const CodeSite* const site = graph.SiteOf(node);
  return IsOfOptimizer(kind.op.empty() ? kind.name : kind.op) ||
         (site != nullptr && IsOfOptimizer(site->function));
}

// Of a rank in a step, behind its backward.
struct Update {
  std::vector<NodeId> ops, down, up;
  std::vector<NodeId> up_in_next;  // before the backward of the step behind it: batches, too
  std::vector<NodeId> kernels;     // of the optimizer
};

// Copies of the next step that are as long as those to the host bring parameters, where none of the
// own step does.
void AddUpInNext(const JobGraph& graph, Update& update) {
  constexpr std::int64_t kAsLong = 5;  // a fifth of the longest
  if (!update.up.empty()) return;
  std::int64_t longest = 0;
  for (const NodeId node : update.down) longest = std::max(longest, graph.nodes().DurationOf(node));
  std::copy_if(update.up_in_next.begin(), update.up_in_next.end(), std::back_inserter(update.up),
               [&](NodeId node) { return kAsLong * graph.nodes().DurationOf(node) >= longest; });
}

std::map<std::pair<std::uint32_t, std::uint32_t>, Update> UpdatesOf(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const auto& parts = input.Shared<StepParts>();
  std::map<std::pair<std::uint32_t, std::uint32_t>, Update> updates;
  const auto update_of = [&](NodeId node) -> Update& {
    return updates[{input.RankOf(node), graph.StepOf(node)}];
  };
  const auto& stretches = input.Shared<HostStretches>();
  for (const NodeId node : stretches.nodes) {
    if (!stretches.Waits(node) && IsOfOptimizer(graph, node) && parts.IsBehindBackward(input, node))
      update_of(node).ops.push_back(node);
  }
  if (updates.empty()) return updates;
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kCompute && kind.phase == Phase::kOptimizer) {
      const auto found = updates.find({input.RankOf(node), graph.StepOf(node)});
      if (found != updates.end()) found->second.kernels.push_back(node);
    }
    if (kind.work != Work::kCopy) return;
    const std::string_view direction = DirectionOf(kind.name).direction;
    const bool is_up = direction == "HtoD";
    if (parts.IsBehindBackward(input, node)) {
      if (direction == "DtoH") update_of(node).down.push_back(node);
      if (is_up) update_of(node).up.push_back(node);
      return;
    }
    // A step's mark may end before the parameters go back.
    const std::uint32_t step = input.graph().StepOf(node);
    const auto before = step == 0 ? updates.end() : updates.find({input.RankOf(node), step - 1});
    if (is_up && before != updates.end()) before->second.up_in_next.push_back(node);
  });
  for (auto& [where, update] : updates) AddUpInNext(graph, update);
  return updates;
}

// Host ops of an update that launches nothing: whatever it reads was copied before, beside the
// backward, and what it writes is copied later.
bool LaunchesNothing(const RuleInput& input, const Update& update, Interval when) {
  const auto is_of_optimizer = [&](NodeId node) {
    const NodeKind& kind = input.graph().KindOf(node);
    const std::string_view name = kind.op.empty() ? kind.name : kind.op;
    return Contains(name, "aten::_foreach") || Contains(name, "aten::_fused");
  };
  // Those of norms and clipping run before.
  const auto is_meanwhile = [&](NodeId node) {
    const std::int64_t begin = input.now().BeginOf(node);
    return begin >= when.begin && begin < when.end;
  };
  constexpr double kNearlyAll = 0.8;
  double all = 0, of_ops = 0;
  for (const NodeId node : update.ops) {
    const auto ns = static_cast<double>(input.graph().nodes().DurationOf(node));
    all += ns;
    of_ops += is_of_optimizer(node) ? ns : 0;
  }
  return of_ops >= kNearlyAll * all && std::ranges::none_of(update.kernels, is_meanwhile);
}

class Updates {
 public:
  explicit Updates(const RuleInput& input)
      : input_(input), without_(input.recorded()), sums_(input) {}

  // Takes it out of the job where it lies between copies down and up that are large enough for it,
  // with these; or where it launches nothing.
  void TakeOut(const Update& update) {
    if (update.ops.empty()) return;
    std::int64_t first = INT64_MAX, last = INT64_MIN;
    for (const NodeId node : update.ops) {
      first = std::min(first, input_.now().BeginOf(node));
      last = std::max(last, input_.now().EndOf(node));
    }
    // Copies and updates of single parameters may take turns.
    std::vector<NodeId> down, up;
    std::copy_if(update.down.begin(), update.down.end(), std::back_inserter(down),
                 [&](NodeId node) { return input_.now().EndOf(node) <= last; });
    std::copy_if(update.up.begin(), update.up.end(), std::back_inserter(up),
                 [&](NodeId node) { return input_.now().BeginOf(node) >= first; });
    const double least = kLeastCopied * TimeOf(update.ops);
    const bool is_between_copies =
        !down.empty() && !up.empty() && TimeOf(down) >= least && TimeOf(up) >= least;
    if (!is_between_copies && !LaunchesNothing(input_, update, {first, last})) return;
    if (is_between_copies) {
      has_copies_ = true;
      for (const std::vector<NodeId>* copies : {&down, &up}) {
        for (const NodeId node : *copies) without_.SetDuration(node, 0);
      }
    }
    for (const NodeId node : update.ops) {
      without_.SetDuration(node, 0);
      sums_.Add(node, static_cast<double>(input_.graph().nodes()[node].duration_ns));
    }
  }

  const NodeSums& sums() const { return sums_; }
  Scenario& without() { return without_; }
  bool has_copies() const { return has_copies_; }

 private:
  double TimeOf(const std::vector<NodeId>& nodes) const {
    std::int64_t sum = 0;
    for (const NodeId node : nodes) sum += input_.graph().nodes()[node].duration_ns;
    return static_cast<double>(sum);
  }

  const RuleInput& input_;
  Scenario without_;
  NodeSums sums_;
  bool has_copies_ = false;
};

std::optional<Cause> FindOptimizerOnHost(const RuleInput& input) {
  Updates updates(input);
  for (const auto& [where, update] : UpdatesOf(input)) updates.TakeOut(update);
  const NodeSums& sums = updates.sums();
  if (sums.empty() || sums.LostPerStep() < kLowGain * input.step_ns()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(updates.without());
  cause.what = fmt::format(
      "the optimizer runs on the host: {} a step, {}", TimeText(sums.LostPerStep()),
      updates.has_copies() ? "between copies of gradients to the host and of parameters back"
                           : "in ops that launch nothing on the device");
  return cause;
}

}  // namespace

const Rule& OptimizerOnHostRule() {
  static const Rule kRule{
      .id = "optimizer-on-host",
      .summary = "the optimizer runs on the CPU",
      .takes = Takes::kHostWork,
      .needs = RuleNeeds::kDevice,
      .find = FindOptimizerOnHost,
      .why =
          "behind the backward, host ops of an optimizer of 100 us and more between copies to the "
          "host and back to the device, or foreach and fused ops in a step whose optimizer "
          "launches "
          "no kernel; replayed without them and such copies, which leaves out what the optimizer "
          "would take on the device",
      .recommendation =
          "Keep the optimizer's state on the device (shard it: ZeRO, FSDP; 8-bit states), or "
          "offload "
          "a part of it alone and overlap its copies with the backward (DeepSpeed: "
          "offload_optimizer with ratio, delayed parameter update).",
      .command = "rankscope table copies TRACES",
  };
  return kRule;
}

}  // namespace rankscope
