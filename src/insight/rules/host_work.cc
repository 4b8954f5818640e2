// host-work: the program's own work on the host, alike on all ranks, for which devices wait.
//
// Long stretches first. Where there are none, or they are little of it, and launching short kernels
// does not explain it (launch-bound), all that the host does while its device has nothing to run:
// by what takes most of that.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/interval.h"
#include "base/median.h"
#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/host_work/host_stretches.h"
#include "insight/evidence/host_work/stretch_names.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/loss/ranks_in_turn.h"
#include "insight/rules/rules.h"
#include "trace/row_names.h"

namespace rankscope {
namespace {

// Of a step, in all of its short stretches: less is what a job has that is launched in time.
constexpr double kShortStretches = 0.05;
// In so many gaps of a device a step: a few are where a step begins.
constexpr double kManyGaps = 16;
// A rank whose host takes so many times the middle of all is another matter (slow-host).
constexpr double kAlike = 2;

struct NamedWork {
  std::vector<NodeId> nodes;
  std::vector<std::int64_t> idle_ns;  // of each: while its device runs nothing
  std::vector<std::int64_t> of_rank;  // in steps that count
  RanksInTurn idle;
  std::int64_t MostOfARank() const { return *std::max_element(of_rank.begin(), of_rank.end()); }
};

// What torch.compile does around each part that it compiled: guards, and handing in tensors.
bool IsOfCompiledCode(std::string_view name) {
  return Contains(name, "Torch-Compiled Region") || Contains(name, "TorchDynamo Cache Lookup");
}

// What PyTorch does itself to update parameters and to start backward, in Python: the function of
// the user's around it is the whole step.
bool IsOfPyTorch(std::string_view row) {
  return row.starts_with("Optimizer.") || row.starts_with("torch/optim/") ||
         Contains(row, "/torch/optim/") || Contains(row, "run_backward of torch._C._EngineBase");
}

std::string NameOf(const JobGraph& graph, const StretchNames& names, NodeId node) {
  const NodeKind& kind = graph.KindOf(node);
  const std::string& row = kind.op.empty() ? kind.name : kind.op;
  return IsOfPyTorch(row) ? NameWithoutNumbers(row) : names.Of(node);
}

// While a rank's device runs nothing, from the recording's first work to the device's last.
IntervalSet GapsOf(const RuleInput& input, const JobGraph::CaptureNodes& capture) {
  std::vector<Interval> work;
  std::int64_t first = INT64_MAX;
  for (const NodeId node : capture.nodes()) {
    if (input.graph().StepOf(node) != kNoStep) first = std::min(first, input.now().BeginOf(node));
    if (IsDevice(input.graph().KindOf(node).work))
      work.push_back({input.now().BeginOf(node), input.now().EndOf(node)});
  }
  const IntervalSet busy = Normalise(std::move(work));
  if (busy.empty()) return {};
  const Interval all{std::min(first, busy.front().begin), busy.back().end};
  return Subtract(std::span(&all, 1), busy);
}

// How much of it lies in the gaps; of these the last is `last`.
std::int64_t PartIn(const IntervalSet& gaps, Interval part, std::size_t& last) {
  auto at =
      std::lower_bound(gaps.begin(), gaps.end(), part.begin,
                       [](const Interval& gap, std::int64_t begin) { return gap.end <= begin; });
  std::int64_t ns = 0;
  for (; at != gaps.end() && at->begin < part.end; ++at) {
    ns += std::min(at->end, part.end) - std::max(at->begin, part.begin);
    last = static_cast<std::size_t>(at - gaps.begin());
  }
  return ns;
}

std::map<std::string, NamedWork> ByName(const RuleInput& input) {
  const auto& stretches = input.Shared<HostStretches>();
  const auto& names = input.Shared<StretchNames>();
  std::vector<std::vector<IntervalSet>> gaps(input.ranks());  // of a rank's recordings
  const bool is_trusted = input.fidelity().refused.empty();
  for (const JobGraph::CaptureNodes& capture : input.graph().captures()) {
    if (is_trusted) gaps[capture.rank].push_back(GapsOf(input, capture));
  }
  std::map<std::string, NamedWork> by_name;
  for (const NodeId node : stretches.nodes) {
    if (stretches.Waits(node)) continue;
    const std::uint32_t rank = input.RankOf(node);
    NamedWork& named = by_name[NameOf(input.graph(), names, node)];
    named.of_rank.resize(input.ranks(), 0);
    // Where the replay cannot be trusted, nor can its times: then all of it counts.
    std::int64_t idle = is_trusted ? 0 : input.graph().nodes().DurationOf(node);
    std::size_t last = 0;
    for (const IntervalSet& of : gaps[rank])
      idle += PartIn(of, {input.now().BeginOf(node), input.now().EndOf(node)}, last);
    named.nodes.push_back(node);
    named.idle_ns.push_back(idle);
    if (!input.Counts(node)) continue;
    named.of_rank[rank] += input.graph().nodes()[node].duration_ns;
    if (idle > 0) named.idle.Add(input, node, idle);
  }
  return by_name;
}

// Those during which the device of some rank, or of another one from step to step, runs nothing for
// 1 % of a step, the largest first: what the host does while its device is busy costs nothing. More
// than a whole step is not of steps: what the device does of them was not recorded whole. What has
// no name is told by a replay alone.
std::vector<std::pair<std::int64_t, std::string>> LargestNames(
    const RuleInput& input, const std::map<std::string, NamedWork>& by_name) {
  std::vector<std::pair<std::int64_t, std::string>> most;
  for (const auto& [name, named] : by_name) {
    const double share = input.ShareOfSteps(named.MostOfARank());
    const std::int64_t idle_ns = named.idle.MostOfSteps();
    if (input.ShareOfSteps(idle_ns) >= kLowGain && share <= 1 &&
        (!name.empty() || input.fidelity().refused.empty()))
      most.emplace_back(-idle_ns, name);
  }
  std::sort(most.begin(), most.end());
  return most;
}

// "; the largest part is aten::mm (1.2 ms), besides 2.3 ms that no op or frame names"
std::string LargestText(const NodeSums& sums, std::map<std::string, double> by_name) {
  const double unnamed = by_name[""];
  by_name.erase("");
  const auto largest =
      std::max_element(by_name.begin(), by_name.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (largest == by_name.end()) return ", which no op or frame names";
  std::string text = fmt::format("; the largest part is {} ({})", largest->first,
                                 TimeText(sums.PerStep(largest->second)));
  if (unnamed > largest->second)
    text += fmt::format(", besides {} that no op or frame names", TimeText(sums.PerStep(unnamed)));
  return text;
}

// All of the host's own work while its device has nothing to run; only a replay tells what of it
// matters.
std::optional<Cause> FindShort(const RuleInput& input) {
  if (!input.fidelity().refused.empty()) return std::nullopt;
  const JobGraph& graph = input.graph();
  const auto& names = input.Shared<StretchNames>();
  Scenario without = input.recorded();
  NodeSums sums(input);
  std::map<std::string, double> by_name;
  std::vector<double> of_rank(input.ranks(), 0);
  std::size_t gap_count = 0;
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    const IntervalSet gaps = GapsOf(input, capture);
    std::vector<bool> worked(gaps.size(), false);  // gaps of steps that count
    for (const NodeId node : capture.nodes()) {
      if (!IsOwnHostWork(graph.KindOf(node).work) || graph.StepOf(node) == kNoStep) continue;
      std::size_t gap = 0;
      const std::int64_t idle =
          PartIn(gaps, {input.now().BeginOf(node), input.now().EndOf(node)}, gap);
      if (idle == 0) continue;
      const std::int64_t took = graph.nodes()[node].duration_ns;
      without.SetDuration(node, std::max<std::int64_t>(0, took - idle));
      if (!input.Counts(node)) continue;
      sums.AddShown(node, node, static_cast<double>(idle));
      by_name[names.Of(node)] += static_cast<double>(idle);
      of_rank[capture.rank] += static_cast<double>(idle);
      worked[gap] = true;
    }
    gap_count += static_cast<std::size_t>(std::count(worked.begin(), worked.end(), true));
  }
  if (sums.PerStep(static_cast<double>(gap_count)) < kManyGaps) return std::nullopt;
  const double most_of_rank = *std::max_element(of_rank.begin(), of_rank.end());
  if (most_of_rank > kAlike * MedianOf(of_rank)) return std::nullopt;
  if (sums.LostPerStep() < kShortStretches * input.step_ns()) return std::nullopt;
  if (input.GainOf(without) < kShortStretches || LaunchBoundRule().find(input)) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.is_rest = true;
  cause.without = std::move(without);
  const LossWords loss = LossOf(input, cause);
  cause.what =
      fmt::format("devices run nothing while the host of {} works {} {}, in many short stretches{}",
                  WhoText(input, cause.ranks), loss.time, loss.when, LargestText(sums, by_name));
  cause.why =
      "all that host threads do of their own while their device runs nothing, outside of waits, "
      "loaders and allocators; no stretch is long, and few of the kernels are short; replayed "
      "without it";
  cause.recommendation =
      "Let the host run ahead: torch.compile or CUDA graphs, fewer and larger ops, a larger batch "
      "per device; no values that return to the host in the step.";
  cause.command = "rankscope table launches TRACES";
  return cause;
}

// What a rank launches next, by its place in the step: kNoNode where that is nothing.
class NextLaunches {
 public:
  explicit NextLaunches(const RuleInput& input)
      : input_(input), next_(input.graph().nodes().size(), kNoNode) {
    for (NodeId node = 0; node < next_.size(); ++node) {
      const NodeId before = input.graph().nodes()[node].previous;
      if (before != kNoNode && !IsDevice(input.graph().KindOf(node).work)) next_[before] = node;
    }
  }
  NodeId Behind(NodeId node) const {
    while (node != kNoNode && input_.graph().KindOf(node).work != Work::kLaunchCall)
      node = next_[node];
    return node;
  }

 private:
  const RuleInput& input_;
  std::vector<NodeId> next_;  // of its thread
};

// Most of it stands before launches, three and more of a step, before which the host stands in less
// than half of the steps: what a program does is at one place.
bool StrikesAtChangingPlaces(const RuleInput& input,
                             const std::vector<std::pair<std::int64_t, std::string>>& most,
                             const std::map<std::string, NamedWork>& by_name, std::size_t ranks) {
  constexpr std::size_t kLeastPlaces = 3;
  constexpr double kMost = 0.8, kSeldom = 0.5;
  struct AtPlace {
    double count = 0, ns = 0;
  };
  const NextLaunches launches(input);
  std::map<std::uint32_t, AtPlace> places;
  double all_ns = 0;
  for (const auto& [ns, name] : most) {
    const NamedWork& named = by_name.at(name);
    for (std::size_t i = 0; i < named.nodes.size(); ++i) {
      if (named.idle_ns[i] == 0 || !input.Counts(named.nodes[i])) continue;
      all_ns += static_cast<double>(named.idle_ns[i]);
      const NodeId launch = launches.Behind(named.nodes[i]);
      if (launch == kNoNode) continue;
      AtPlace& at = places[input.places().PlaceOf(launch)];
      ++at.count;
      at.ns += static_cast<double>(named.idle_ns[i]);
    }
  }
  double seldom_ns = 0;
  std::size_t seldom = 0;
  for (const auto& [place, at] : places) {
    if (at.count >= kSeldom * static_cast<double>(ranks * input.counted().size())) continue;
    seldom_ns += at.ns;
    ++seldom;
  }
  return seldom >= kLeastPlaces && seldom_ns >= kMost * all_ns;
}

std::optional<Cause> FindLong(const RuleInput& input) {
  const std::map<std::string, NamedWork> by_name = ByName(input);
  const auto most = LargestNames(input, by_name);
  if (most.empty()) return std::nullopt;
  Scenario without = input.recorded();
  NodeSums sums(input);
  for (const auto& [ns, name] : most) {
    const NamedWork& named = by_name.at(name);
    for (std::size_t i = 0; i < named.nodes.size(); ++i) {
      const NodeId node = named.nodes[i];
      without.SetDuration(node, 0);
      if (named.idle_ns[i] == 0) continue;
      sums.AddShown(node, node, static_cast<double>(named.idle_ns[i]));
    }
  }
  Cause cause;
  sums.TellIn(cause);
  // What else is late by it counts, too.
  if (input.fidelity().refused.empty()) {
    const auto gain_ns = static_cast<std::int64_t>(input.GainOf(without) * input.step_ns());
    if (gain_ns > *cause.lost_ns) {
      cause.lost_ns = gain_ns;
      cause.lost_there_ns.reset();  // the gain is of whole steps
    }
  }
  cause.without = std::move(without);
  const std::string& largest = most.front().second;
  RanksInTurn stopped;
  for (const auto& [ns, name] : most) {
    const NamedWork& named = by_name.at(name);
    for (std::size_t i = 0; i < named.nodes.size(); ++i)
      stopped.Add(input, named.nodes[i], named.idle_ns[i]);
  }
  const std::string in_turn = stopped.Who(input, cause.ranks.size());
  const LossWords loss = LossOf(input, cause);
  cause.what = fmt::format("devices wait while the host of {} works {} {}, {}{}",
                           in_turn.empty() ? WhoText(input, cause.ranks) : in_turn, loss.time,
                           loss.when, most.size() == 1 ? "in " : "above all in ",
                           largest.empty() ? "what no op or frame names" : largest);
  if (IsOfPyTorch(largest))
    cause.recommendation =
        "Let PyTorch do less in Python: fused=True for the optimizer, or torch.compile of its "
        "step; "
        "few groups of parameters; CUDA graphs for the whole step "
        "(torch.cuda.make_graphed_callables, "
        "torch.compile(mode='reduce-overhead')).";
  if (IsOfCompiledCode(largest))
    cause.recommendation =
        "Compile larger parts: each part that torch.compile made costs its guards and its wrapper "
        "in every call. TORCH_LOGS=graph_breaks names the lines that split the model "
        "(fullgraph=True makes them errors); or mode='reduce-overhead' for the parts.";
  if (largest.empty() && most.size() > 1) cause.what += fmt::format(", then in {}", most[1].second);
  const bool is_rare = 2 * stopped.size() <= cause.ranks.size() * input.counted().size();
  if (in_turn.empty() && largest.empty() && is_rare)
    cause.what += "; it is not there in most steps: Python's garbage collector would look so";
  else if (in_turn.empty() && input.counted().size() > 1 &&
           StrikesAtChangingPlaces(input, most, by_name, cause.ranks.size()))
    cause.what +=
        ", at other places from step to step: Python's garbage collector would look so, or what "
        "else "
        "runs on these cores";
  return cause;
}

std::optional<Cause> FindHostWork(const RuleInput& input) {
  if (!HasDeviceWork(input.graph())) return std::nullopt;
  std::optional<Cause> of_long = FindLong(input);
  if (of_long && static_cast<double>(*of_long->lost_ns) >= kHighGain * input.step_ns())
    return of_long;
  // Long stretches that are little beside what the host does in all of them are not what matters.
  std::optional<Cause> of_all = FindShort(input);
  const bool is_of_all = of_all && (!of_long || *of_all->lost_ns > 2 * *of_long->lost_ns);
  return is_of_all ? std::move(of_all) : std::move(of_long);
}

}  // namespace

const Rule& HostWorkRule() {
  static const Rule kRule{
      .id = "host-work",
      .summary = "the host's own work, for which devices wait",
      .tier = Tier::kExposed,
      .takes = Takes::kHostWork,
      .needs = RuleNeeds::kDevice,
      .find = FindHostWork,
      .why =
          "stretches of 100 us and more in which a host thread works on and launches nothing, "
          "outside of "
          "waits, loaders and allocators; replayed without them",
      .recommendation =
          "Take it out of the step: another thread, less often, vectorised, or on the device. "
          "Where no "
          "line is named, record stacks (with_stack=True, or rankscope-agent's CPU samples).",
      .command = "rankscope table critical_path_events TRACES",
      .shown_in = {"host_breakdown"},
  };
  return kRule;
}

}  // namespace rankscope
