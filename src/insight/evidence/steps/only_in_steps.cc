#include "insight/evidence/steps/only_in_steps.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>

#include "insight/base/cause_tools.h"

namespace rankscope {

std::string FunctionOnlyIn(const RuleInput& input, const std::vector<bool>& is_one) {
  const JobGraph& graph = input.graph();
  if (!graph.HasFrames()) return "";
  std::set<std::string_view> elsewhere;
  std::map<std::string_view, std::int64_t> here;
  input.ForEach([&](NodeId node, const NodeKind&) {
    const CodeSite* const site = graph.SiteOf(node);
    if (site == nullptr || site->function.empty()) return;
    if (is_one[graph.StepOf(node)])
      here[site->function] += graph.nodes()[node].duration_ns;
    else
      elsewhere.insert(site->function);
  });
  std::string_view most;
  for (const auto& [function, ns] : here) {
    if (!elsewhere.contains(function) && (most.empty() || ns > here[most])) most = function;
  }
  return std::string(most);
}

double TimesForward(const RuleInput& input, const std::vector<bool>& is_one) {
  constexpr double kAsMany = 1.1;
  constexpr double kAsManyOthers = 0.5;
  // By rank: kernels of one of these steps and of one of the others. A step that computes each
  // product in several ways, to find the fastest, has no other kernels more.
  struct Counts {
    std::array<double, 2> products = {0, 0}, other = {0, 0}, backward = {0, 0};
  };
  std::vector<Counts> of_rank(input.ranks());
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCompute) return;
    const std::size_t which = is_one[input.graph().StepOf(node)] ? 1 : 0;
    Counts& counts = of_rank[input.RankOf(node)];
    const bool is_product = IsBoundByComputing(kind);
    // Forward behind the backward of its step is an evaluation's, too.
    if (kind.phase == Phase::kBackward)
      counts.backward[which] += is_product ? 1 : 0;
    else if (kind.phase != Phase::kOptimizer)
      ++(is_product ? counts.products : counts.other)[which];
  });
  double these = 0, others = 0;
  for (const std::size_t step : input.counted()) (is_one[step] ? these : others) += 1;
  if (these == 0 || others == 0) return 1;
  double most = 1;
  for (const Counts& counts : of_rank) {
    if (counts.products[0] == 0 || counts.backward[0] == 0) continue;
    const auto times = [&](const std::array<double, 2>& count) {
      return count[1] / these / (count[0] / others);
    };
    if (times(counts.backward) > kAsMany) continue;
    const double products = times(counts.products);
    const bool are_alone =
        counts.other[0] > 0 && times(counts.other) - 1 < kAsManyOthers * (products - 1);
    most = std::max(most, are_alone ? times(counts.other) : products);
  }
  return most;
}

}  // namespace rankscope
