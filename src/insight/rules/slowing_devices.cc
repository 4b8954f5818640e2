// slowing-devices: devices take longer and longer for the same kernels, or from one step on.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/steps/step_line.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// So much longer, in all, for the same work.
constexpr double kLeastSlowdown = 0.05;
// A jump is so many times what the steps before or behind it scatter.
constexpr double kTimesDeviceScatter = 3;
// Of the time of these kernels the part in kinds that take longer by half of that and more; one
// kernel alone has another reason.
constexpr double kMostOfIt = 0.7;

// The same kernels of all ranks in all steps: kinds that tell their work, of which every step has
// as many.
class EqualKernels {
 public:
  EqualKernels(const RuleInput& input, const std::vector<std::size_t>& steps)
      : input_(input), place_(input.graph().steps().size(), kNowhere) {
    for (std::size_t i = 0; i < steps.size(); ++i) place_[steps[i]] = i;
    struct OfKind {
      std::vector<std::int64_t> count, ns;  // by place
    };
    std::map<std::uint32_t, OfKind> kinds;
    input.ForEach([&](NodeId node, const NodeKind& kind) {
      const std::size_t place = place_[input.graph().StepOf(node)];
      if (place == kNowhere || kind.work != Work::kCompute || !kind.TellsWork()) return;
      OfKind& of = kinds[input.graph().nodes().KindOf(node)];
      of.count.resize(steps.size(), 0);
      of.ns.resize(steps.size(), 0);
      ++of.count[place];
      of.ns[place] += input.graph().nodes()[node].duration_ns;
    });
    of_step_.resize(steps.size(), 0);
    for (auto& [kind, of] : kinds) {
      const std::int64_t first = of.count.front();
      if (std::ranges::any_of(of.count, [&](std::int64_t count) { return count != first; }))
        continue;
      for (std::size_t i = 0; i < steps.size(); ++i) of_step_[i] += of.ns[i];
      of_kind_.emplace(kind, std::move(of.ns));
    }
  }

  bool empty() const { return of_kind_.empty(); }
  bool Has(NodeId node) const { return of_kind_.contains(input_.graph().nodes().KindOf(node)); }
  // Among the steps; kNowhere for one that is none of them.
  std::size_t PlaceOf(NodeId node) const { return place_[input_.graph().StepOf(node)]; }
  const std::vector<std::int64_t>& of_step() const { return of_step_; }  // by place

  // Whether most of the time is in kinds that take longer behind `split` than before it by half of
  // `slowdown` and more.
  bool MostAreSlower(std::size_t split, double slowdown) const {
    double all = 0, slower = 0;
    for (const auto& [kind, ns] : of_kind_) {
      const double before = MeanOf(ns, 0, split), behind = MeanOf(ns, split, ns.size());
      all += before;
      if (behind > before * (1 + slowdown / 2)) slower += before;
    }
    return slower >= kMostOfIt * all;
  }
  // And on most of the ranks.
  bool OnMostRanks(std::size_t split, double slowdown) const {
    std::vector<std::pair<double, double>> of_rank(input_.ranks());  // means before and behind
    const double steps_before = static_cast<double>(split);
    const double steps_behind = static_cast<double>(of_step_.size() - split);
    input_.ForEach([&](NodeId node, const NodeKind&) {
      if (PlaceOf(node) == kNowhere || !Has(node)) return;
      const auto ns = static_cast<double>(input_.graph().nodes()[node].duration_ns);
      auto& [before, behind] = of_rank[input_.RankOf(node)];
      (PlaceOf(node) < split ? before : behind) +=
          ns / (PlaceOf(node) < split ? steps_before : steps_behind);
    });
    const auto slower = std::ranges::count_if(
        of_rank, [&](const auto& of) { return of.second > of.first * (1 + slowdown / 2); });
    return 2 * static_cast<std::size_t>(slower) > of_rank.size();
  }

  static double MeanOf(const std::vector<std::int64_t>& ns, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += static_cast<double>(ns[i]);
    return sum / static_cast<double>(end - begin);
  }

  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

 private:
  const RuleInput& input_;
  std::vector<std::size_t> place_;                              // by step of the graph
  std::map<std::uint32_t, std::vector<std::int64_t>> of_kind_;  // by place
  std::vector<std::int64_t> of_step_;
};

// Where a jump is: the first place of the slower steps. These are the most, since a few slow ones
// are outliers of the others.
std::optional<std::size_t> JumpIn(const std::vector<std::int64_t>& ns) {
  constexpr std::size_t kLeastBefore = 2;
  for (std::size_t split = kLeastBefore; 2 * (ns.size() - split) > ns.size(); ++split) {
    const auto middle = ns.begin() + static_cast<std::ptrdiff_t>(split);
    const auto [least_before, most_before] = std::minmax_element(ns.begin(), middle);
    const auto [least, most] = std::minmax_element(middle, ns.end());
    const auto scatter =
        static_cast<double>(std::max(*most_before - *least_before, *most - *least));
    const auto jump = static_cast<double>(*least - *most_before);
    if (jump > kTimesDeviceScatter * scatter &&
        jump >= kLeastSlowdown * static_cast<double>(*most_before))
      return split;
  }
  return std::nullopt;
}

// What the same kernels would take in each step, of what they take.
struct Slowdown {
  std::vector<double> factor;  // by place
  std::size_t split = 0;
  double times = 1;  // how many times as long at the end
  bool is_jump = false;
};

std::optional<Slowdown> SlowdownIn(const std::vector<std::int64_t>& ns) {
  Slowdown found{.factor = std::vector<double>(ns.size(), 1), .split = ns.size() / 2};
  if (const auto split = JumpIn(ns)) {
    const double before = EqualKernels::MeanOf(ns, 0, *split);
    const double behind = EqualKernels::MeanOf(ns, *split, ns.size());
    for (std::size_t i = *split; i < ns.size(); ++i) found.factor[i] = before / behind;
    found.split = *split;
    found.times = behind / before;
    found.is_jump = true;
    return found;
  }
  if (ns.size() < kEnoughStepsForALine) return std::nullopt;
  const StepLine line = LineOfSteps(ns);
  if (line.first <= 0 || !line.IsOfGrowingSteps(kLeastSlowdown)) return std::nullopt;
  for (std::size_t i = 0; i < ns.size(); ++i)
    found.factor[i] = std::min(1.0, line.first / line.At(i, ns.size()));
  found.times = line.last / line.first;
  return found;
}

std::optional<Cause> FindSlowingDevices(const RuleInput& input) {
  const std::vector<std::size_t> steps = StepsInOrder(input);
  if (steps.size() < kEnoughStepsForALine) return std::nullopt;
  const EqualKernels same(input, steps);
  if (same.empty()) return std::nullopt;
  const std::optional<Slowdown> found = SlowdownIn(same.of_step());
  if (!found) return std::nullopt;
  // Of a slowdown step by step the mean of both halves lies half as far apart.
  const double slowdown = (found->times - 1) * (found->is_jump ? 1 : 0.5);
  if (!same.MostAreSlower(found->split, slowdown) || !same.OnMostRanks(found->split, slowdown))
    return std::nullopt;
  Scenario without = input.recorded();
  NodeSums sums(input);
  input.ForEach([&](NodeId node, const NodeKind&) {
    const std::size_t place = same.PlaceOf(node);
    if (place == EqualKernels::kNowhere || !same.Has(node) || found->factor[place] >= 1) return;
    const auto took = static_cast<double>(input.graph().nodes()[node].duration_ns);
    const double then = took * found->factor[place];
    without.SetDuration(node, static_cast<std::int64_t>(then));
    sums.Add(node, took - then);
  });
  if (sums.empty()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  for (std::size_t i = found->is_jump ? found->split : 0; i < steps.size(); ++i)
    cause.steps.push_back(static_cast<std::uint32_t>(steps[i]));
  std::sort(cause.steps.begin(), cause.steps.end());
  const std::int64_t first = input.graph().steps()[steps[found->split]].number;
  cause.what =
      found->is_jump
          ? fmt::format("devices take {:.3g} times as long for the same kernels from step {} on",
                        found->times, first)
          : fmt::format(
                "devices take longer and longer for the same kernels: {:.3g} times as long in the "
                "last step as in the first",
                found->times);
  return cause;
}

}  // namespace

const Rule& SlowingDevicesRule() {
  static const Rule kRule{
      .id = "slowing-devices",
      .summary = "devices get slower at the same work while it is recorded",
      .tier = Tier::kRoot,
      .takes = Takes::kSlowerKernels,
      .needs = RuleNeeds::kDevice,
      .find = FindSlowingDevices,
      .why =
          "kernels of equal inputs or launches, as many in every step: their time jumps by three "
          "times what it scatters, for the most of the steps, or rises from step to step "
          "(Mann-Kendall: 1%, 2% of much), by 5% and more, in most of them and on most ranks; "
          "replayed as before",
      .recommendation =
          "Look at clocks, power and temperature (nvidia-smi -q -d CLOCK,PERFORMANCE, amd-smi "
          "metric; rankscope-agent records them beside a trace): a power cap, heat, another job on "
          "the devices. Slower is what a long training sees.",
      .command = "rankscope table kernel_steps TRACES",
  };
  return kRule;
}

}  // namespace rankscope
