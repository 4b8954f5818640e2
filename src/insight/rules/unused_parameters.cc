// unused-parameters: DistributedDataParallel walks over the graph of autograd behind every forward,
// to find parameters that get no gradient.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/communication/exchanges.h"
#include "insight/evidence/host_work/host_stretches.h"
#include "insight/evidence/host_work/stretch_names.h"
#include "insight/evidence/loss/kinds_that.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/steps/step_parts.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

constexpr double kByName = 0.9;
constexpr double kByPlace = 0.6;

// PyTorch's own range over the search.
bool IsSearch(const NodeKind& kind) {
  return !IsDevice(kind.work) && Contains(kind.name, "search_unused_parameters");
}

// By rank, whether its stacks were recorded: only there a stretch in no frame is nobody's line.
std::vector<bool> HaveFrames(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  std::vector<bool> have(input.ranks(), false);
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    for (const NodeId node : capture.nodes()) {
      const CodeSite* const site = graph.SiteOf(node);
      if (site == nullptr || site->function.empty()) continue;
      have[capture.rank] = true;
      break;
    }
  }
  return have;
}

// A stretch in no line of the program and no op: in what wraps the model, or in nothing where the
// rank's stacks would name it.
bool IsUnnamed(const RuleInput& input, NodeId node, const std::vector<bool>& have_frames) {
  const JobGraph& graph = input.graph();
  const CodeSite* const site = graph.SiteOf(node);
  if (site != nullptr && !site->function.empty()) return false;
  const std::string& name = input.Shared<StretchNames>().Of(node);
  return graph.KindOf(node).work == Work::kPython &&
         (Contains(name, "DistributedDataParallel") || Contains(name, "post_forward") ||
          (name.empty() && have_frames[input.RankOf(node)]));
}

bool ReducesGradients(const RuleInput& input) {
  const std::set<std::uint32_t> groups = DataParallelGroups(input);
  const auto& all = input.Shared<Exchanges>().all();
  return std::any_of(all.begin(), all.end(), [&](const Exchange& exchange) {
    return groups.contains(exchange.group) && exchange.op == CollectiveOp::kAllReduce;
  });
}

// The longest unnamed stretch of each rank and step between forward and backward, where every
// counted step of every rank has one: the search is made by all ranks, in every step.
std::vector<NodeId> ByPlace(const RuleInput& input) {
  if (input.ranks() < 2 || !ReducesGradients(input)) return {};
  const JobGraph& graph = input.graph();
  const auto& stretches = input.Shared<HostStretches>();
  const auto& parts = input.Shared<StepParts>();
  const std::vector<bool> have_frames = HaveFrames(input);
  std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId> longest;
  for (const NodeId node : stretches.nodes) {
    if (stretches.Waits(node) || !IsUnnamed(input, node, have_frames) ||
        !parts.IsBeforeBackward(input, node))
      continue;
    const auto [found, is_new] =
        longest.try_emplace({input.RankOf(node), graph.StepOf(node)}, node);
    if (!is_new && graph.nodes()[node].duration_ns > graph.nodes()[found->second].duration_ns)
      found->second = node;
  }
  std::vector<NodeId> nodes;
  std::size_t counted = 0;
  for (const auto& [where, node] : longest) {
    nodes.push_back(node);
    counted += input.Counts(node) ? 1 : 0;
  }
  if (counted < input.ranks() * input.counted().size()) nodes.clear();
  return nodes;
}

std::optional<Cause> FindUnusedParameters(const RuleInput& input) {
  std::vector<NodeId> nodes;
  const KindsThat are_searches(input.graph(), IsSearch);
  input.ForEachOfSteps([&](NodeId node, const NodeKind&) {
    if (are_searches.Has(node)) nodes.push_back(node);
  });
  const bool is_named = !nodes.empty();
  if (!is_named) nodes = ByPlace(input);
  if (nodes.empty()) return std::nullopt;
  Scenario without = input.recorded();
  NodeSums sums(input);
  for (const NodeId node : nodes) {
    without.SetDuration(node, 0);
    sums.Add(node, static_cast<double>(input.graph().nodes()[node].duration_ns));
  }
  if (sums.empty()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.confidence = is_named ? kByName : kByPlace;
  const std::string time = TimeText(sums.LostPerStep());
  cause.what =
      is_named ? fmt::format("DistributedDataParallel searches for unused parameters for {} a step",
                             time)
               : fmt::format(
                     "the host of every rank works {} between forward and backward, as "
                     "DistributedDataParallel does when it searches for unused parameters",
                     time);
  return cause;
}

}  // namespace

const Rule& UnusedParametersRule() {
  static const Rule kRule{
      .id = "unused-parameters",
      .summary = "DDP walks the graph after forward to find unused parameters",
      .takes = Takes::kHostWork,
      .needs = RuleNeeds::kDevice,
      .find = FindUnusedParameters,
      .why =
          "a range search_unused_parameters, or a stretch of 100 us and more inside of what wraps "
          "the model (or of no frame, where stacks were recorded) between forward and backward, on "
          "all ranks in every step of a job that reduces gradients; replayed without it",
      .recommendation =
          "DistributedDataParallel(model, find_unused_parameters=False) where every parameter gets "
          "a gradient; static_graph=True where the same ones do in every step.",
      .command = "rankscope table host_breakdown TRACES",
  };
  return kRule;
}

}  // namespace rankscope
