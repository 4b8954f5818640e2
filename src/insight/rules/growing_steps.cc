// growing-steps: each step does more than the one before it.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/evidence/host_work/stretch_names.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/steps/step_line.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// How likely the order of what is done in steps is by chance.
constexpr double kMostChanceOfWork = 0.05;
// From the first step to the last, of the mean: of the steps' times, and of what is done in them.
constexpr double kLeastGrowth = 0.03;
constexpr double kLeastGrowthOfWork = 0.10;
// Of what steps grow by, the part that must lie in work that is seen to grow.
constexpr double kExplained = 0.5;

// What a rank does under one name: of its device the work of an op, of its host that of a function
// of the user's, else of an op.
struct NamedGrowth {
  std::vector<std::int64_t> of_step;  // by place in the order of steps
  // Of a device: how many nodes of a kind the steps of the first half have beyond those of the
  // second.
  std::map<std::uint32_t, std::int64_t> more_before;
  std::vector<NodeId> nodes;
  StepLine line;

  // The same kernels that take longer and longer are a device that slows down.
  bool DoesMore(bool is_device) const {
    return !is_device || std::any_of(more_before.begin(), more_before.end(),
                                     [](const auto& kind) { return kind.second != 0; });
  }
};

// A host that is slower and slower, at whatever it does, does no more: then no one thing grows by
// most of what all do, or the rest grows nearly as much.
class Host {
 public:
  void Add(const StepLine& line, bool grows) {
    StepLine& sum = grows ? growing_ : rest_;
    sum.first += line.first;
    sum.last += line.last;
    if (grows) most_ = std::max(most_, line.Growth());
  }
  bool SlowsDown() const {
    return 2 * most_ < growing_.Growth() ||
           2 * rest_.Growth() * growing_.first > growing_.Growth() * rest_.first;
  }

 private:
  StepLine growing_, rest_;  // first and last alone
  double most_ = 0;
};

class Growth {
 public:
  Growth(const RuleInput& input, std::vector<std::size_t> steps)
      : input_(input), steps_(std::move(steps)), place_(input.graph().steps().size(), kNowhere) {
    for (std::size_t i = 0; i < steps_.size(); ++i) place_[steps_[i]] = i;
    Sum();
    KeepWhatGrows();
  }

  std::optional<Cause> ToCause(const StepLine& of_steps) const {
    std::vector<double> of_rank(input_.ranks(), 0);
    for (const auto& [key, named] : named_) of_rank[key.rank] += named.line.Growth();
    const double most = *std::max_element(of_rank.begin(), of_rank.end());
    if (named_.empty() || most < kExplained * of_steps.Growth()) return std::nullopt;
    const JobGraph& graph = input_.graph();
    Scenario without = input_.recorded();
    NodeSums sums(input_);
    const Key* worst = nullptr;
    for (const auto& [key, named] : named_) {
      if (2 * of_rank[key.rank] < most) continue;
      if (worst == nullptr || named.line.Growth() > named_.at(*worst).line.Growth()) worst = &key;
      for (const NodeId node : named.nodes) {
        const auto took = static_cast<double>(graph.nodes()[node].duration_ns);
        const double step_ns = static_cast<double>(named.of_step[place_[graph.StepOf(node)]]);
        const double then = took * std::min(1.0, std::max(0.0, named.line.first) / step_ns);
        without.SetDuration(node, static_cast<std::int64_t>(then));
        if (took > then) sums.Add(node, took - then);
      }
    }
    if (sums.empty()) return std::nullopt;
    Cause cause;
    sums.TellIn(cause);
    cause.without = std::move(without);
    cause.confidence = 0.8;
    const StepLine& line = named_.at(*worst).line;
    cause.what = fmt::format(
        "steps take longer and longer, {} in the first and {} in the last of {}; what grows most "
        "is "
        "{}{}, from {} to {} a step",
        TimeText(of_steps.first), TimeText(of_steps.last), steps_.size(),
        worst->name.empty() ? "what no op or frame names" : worst->name,
        worst->is_device ? " on the device" : "", TimeText(std::max(0.0, line.first)),
        TimeText(line.last));
    return cause;
  }

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX;
  struct Key {
    std::uint32_t rank = 0;
    bool is_device = false;
    std::string_view name;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.rank, a.is_device, a.name) < std::tie(b.rank, b.is_device, b.name);
    }
  };

  // Transfers wait for other ranks, calls for a device: these are no work.
  static bool IsWork(Work work) {
    return work != Work::kCommunication && work != Work::kSyncCall && work != Work::kOtherCall;
  }

  void Sum() {
    const JobGraph& graph = input_.graph();
    const auto& names = input_.Shared<StretchNames>();
    input_.ForEach([&](NodeId node, const NodeKind& kind) {
      const std::size_t place = place_[graph.StepOf(node)];
      if (place == kNowhere || !IsWork(kind.work)) return;
      const bool is_device = IsDevice(kind.work);
      const std::string_view name = !is_device        ? std::string_view(names.Of(node))
                                    : kind.op.empty() ? kind.name
                                                      : kind.op;
      NamedGrowth& named = named_[{input_.RankOf(node), is_device, name}];
      named.of_step.resize(steps_.size(), 0);
      named.of_step[place] += graph.nodes()[node].duration_ns;
      named.nodes.push_back(node);
      if (is_device && place < steps_.size() / 2) ++named.more_before[graph.nodes().KindOf(node)];
      if (is_device && place >= steps_.size() - steps_.size() / 2)
        --named.more_before[graph.nodes().KindOf(node)];
    });
  }

  void KeepWhatGrows() {
    std::map<std::uint32_t, Host> hosts;
    for (auto& [key, named] : named_) {
      named.line = LineOfSteps(named.of_step);
      if (!key.is_device) hosts[key.rank].Add(named.line, Grows(named, false));
    }
    std::erase_if(named_, [&](const auto& of) {
      const auto& [key, named] = of;
      return !Grows(named, key.is_device) || (!key.is_device && hosts[key.rank].SlowsDown());
    });
  }

  static bool Grows(const NamedGrowth& named, bool is_device) {
    return named.line.Grows(kMostChanceOfWork, kLeastGrowthOfWork) && named.DoesMore(is_device);
  }

  const RuleInput& input_;
  std::vector<std::size_t> steps_;
  std::vector<std::size_t> place_;    // in steps_, by step of the graph
  std::map<Key, NamedGrowth> named_;  // of those that grow
};

std::optional<Cause> FindGrowingSteps(const RuleInput& input) {
  std::vector<std::size_t> steps = StepsInOrder(input);
  if (steps.size() < kEnoughStepsForALine) return std::nullopt;
  std::vector<std::int64_t> times;
  times.reserve(steps.size());
  for (const std::size_t step : steps) times.push_back(input.now().StepTime(step));
  const StepLine line = LineOfSteps(times);
  if (!line.IsOfGrowingSteps(kLeastGrowth)) return std::nullopt;
  return Growth(input, std::move(steps)).ToCause(line);
}

}  // namespace

const Rule& GrowingStepsRule() {
  static const Rule kRule{
      .id = "growing-steps",
      .summary = "each step does more than the one before it",
      .tier = Tier::kProgram,
      .takes = Takes::kMoreWork,
      .find = FindGrowingSteps,
      .why =
          "steps that take longer in their order (Mann-Kendall: 1%, 2% of much), by 3% and more "
          "from the first to the last; half of that lies in work that grows by a tenth and more, "
          "and is no device "
          "or host that does the same more slowly. Replayed as in the first step",
      .recommendation =
          "Look for what is kept from step to step and gone through in each: a list of losses or "
          "outputs (keep .item() of it, or a running mean), a history that is searched, a cache "
          "without bound, hooks or handlers that are added again, inputs that get longer. What "
          "this recording shows is the growth of its own steps: later ones take longer still. "
          "Inputs that are sorted by length, or lengthened on purpose, are no mistake.",
      .command = "rankscope table step_work TRACES",
  };
  return kRule;
}

}  // namespace rankscope
