#include "insight/replay_tables/blame.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/across/across_fact.h"
#include "base/saturating.h"
#include "insight/base/cause_tools.h"
#include "replay/peers/late_arrivals.h"
#include "replay/replay_fact.h"
#include "schemas/blame.h"
#include "schemas/columns.h"
#include "table/or_null.h"
#include "table/schema.h"

namespace rankscope {
namespace {

struct LateArrivalRows : Schema<LateArrivalRows> {
  IntColumn step = Int(column::StepOfLaunch());
  StringColumn group =
      Text("group", "name of the process group (collectives); null of a send and its receive");
  IntColumn ordinal = Int("ordinal", "", "number of the collective in its group; null as group");
  StringColumn op = Text("op", "all_reduce, ..., send_receive");
  IntColumn members = Int("members", "", "ranks that met");
  IntColumn at_ns = Int("at_ns", "ns", "the last arrival, from the job's origin, aligned");
  IntColumn first_rank = Int("first_rank", "", "that came first");
  IntColumn last_rank = Int("last_rank", "", "that came last by the clocks");
  IntColumn skew_ns = Int("skew_ns", "ns", "from the first arrival to the last");
  IntColumn wait_ns = Int("wait_ns", "ns", "of all members until the last arrival");
  IntColumn marginal_ns =
      Int("marginal_ns", "ns",
          "how much earlier it began if the last alone were on time: to the last but one");
  StringColumn root_ranks = Text("root_ranks", "most blamed, as ranks of blame");
  StringColumn root_cause = Text("root_cause", "as cause of blame");
  IntColumn root_ns = Int("root_ns", "ns", "of the skew, what is blamed on these");
  StringColumn root_op = Text("root_op", "of the longest excess there; null without one");
  IntColumn root_event = Int("root_event", "", "index in the file of root_ranks; null without one");
};

LateArrivals FindBlame(const JobContext& job) {
  const AcrossFacts& across = AcrossOf(job);
  const Replayed& replayed = ReplayedOf(job);
  return LateArrivals(replayed.graph(), replayed.now(), replayed.peers(), replayed.places(),
                      [&](std::uint32_t a, std::uint32_t b) -> std::optional<std::int64_t> {
                        const std::optional<double> open = across.clocks().Between(a, b);
                        if (!open) return std::nullopt;
                        return static_cast<std::int64_t>(std::ceil(*open));
                      });
}

std::int64_t NumberOf(const JobContext& job, std::uint32_t rank) {
  return AcrossOf(job).collectives().ranks()[rank].rank;
}

std::string TextOf(const JobContext& job, const std::vector<std::uint32_t>& ranks) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(ranks.size());
  for (const std::uint32_t rank : ranks) numbers.push_back(NumberOf(job, rank));
  return RangesText(std::move(numbers));
}

std::string_view NameOf(const JobGraph& graph, NodeId node) {
  const NodeKind& kind = graph.KindOf(node);
  return kind.op.empty() ? std::string_view(kind.name) : std::string_view(kind.op);
}

// The stage that all of these are in.
Value StageOf(const JobContext& job, const std::vector<std::uint32_t>& ranks) {
  const auto& places = AcrossOf(job).layout().places;
  std::set<std::int32_t> stages;
  for (const std::uint32_t rank : ranks)
    stages.insert(rank < places.size() ? places[rank].Of(Dimension::kPipeline) : -1);
  if (stages.size() != 1 || *stages.begin() < 0) return kNull;
  return std::int64_t{*stages.begin()};
}

// A process group, or the two ranks of a send; no two of its rendezvous wait at the same time.
using Waiting = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

struct RootSums {
  std::int64_t late_arrivals = 0;
  std::int64_t blamed_ns = 0;
  std::map<std::pair<std::uint32_t, Waiting>, std::int64_t> by_step;
  std::map<std::string_view, std::int64_t> by_op;
};

Waiting WaitingAt(const JobContext& job, const LateArrival& arrival) {
  const JobGraph& graph = GraphOf(job);
  const std::uint32_t collective = graph.meetings()[arrival.meeting].collective;
  if (collective != UINT32_MAX)
    return {AcrossOf(job).collectives().collectives()[collective].group, 0, 0};
  return {UINT32_MAX, graph.RankOf(arrival.first), graph.RankOf(arrival.last)};
}

constexpr double kOfStep = 0.01;
constexpr std::size_t kStepsForPattern = 3;
constexpr bool IsNearlyAll(std::size_t part, std::size_t all) { return 4 * part >= 3 * all; }

std::set<std::uint32_t> StepsOf(const RootSums& sums, const Replay& replay) {
  std::set<std::uint32_t> steps;
  for (const auto& [where, ns] : sums.by_step) {
    if (static_cast<double>(ns) >= kOfStep * static_cast<double>(replay.StepTime(where.first)))
      steps.insert(where.first);
  }
  return steps;
}

// Of the group that waits most.
std::int64_t LongestWait(const RootSums& sums) {
  std::map<Waiting, std::int64_t> of_group;
  for (const auto& [where, ns] : sums.by_step) AddSaturating(of_group[where.second], ns);
  std::int64_t longest = 0;
  for (const auto& [group, ns] : of_group) longest = std::max(longest, ns);
  return longest;
}

double PercentOf(std::int64_t part, std::int64_t whole) {
  return std::min(100.0, 100 * static_cast<double>(part) /
                             static_cast<double>(std::max<std::int64_t>(whole, 1)));
}

Result<Table> Blame(const InputTables&, const JobContext& job, const Options&) {
  const JobGraph& graph = GraphOf(job);
  const Replay& replay = ReplayedOf(job).now();
  const Peers& peers = ReplayedOf(job).peers();
  const LateArrivals late = FindBlame(job);
  std::map<std::pair<std::uint32_t, LateCause>, RootSums> roots;
  std::int64_t skew = 0;
  for (const LateArrival& arrival : late.all()) {
    AddSaturating(skew, arrival.skew_ns);
    const Waiting waiting = WaitingAt(job, arrival);
    for (const LateRoot& root : late.RootsOf(arrival)) {
      RootSums& sums = roots[{root.who, root.cause}];
      ++sums.late_arrivals;
      AddSaturating(sums.blamed_ns, root.blamed_ns);
      AddSaturating(sums.by_step[{arrival.step, waiting}], root.blamed_ns);
      if (root.node != kNoNode) AddSaturating(sums.by_op[NameOf(graph, root.node)], root.blamed_ns);
    }
  }
  // Transfers are compared with all others.
  constexpr std::uint32_t kTransfers = UINT32_MAX;
  const auto peers_of = [&](std::uint32_t who) {
    return late.Who(who).size() == 1 ? peers.group_of[late.Who(who).front()] : kTransfers;
  };
  std::map<std::pair<std::uint32_t, LateCause>, std::set<std::uint32_t>> steps_of_peers;
  for (const auto& [root, sums] : roots)
    steps_of_peers[{peers_of(root.first), root.second}].merge(StepsOf(sums, replay));
  const std::vector<std::size_t>& counted = CountedSteps(graph);
  std::int64_t whole = 0;
  for (const std::size_t step : counted) AddSaturating(whole, replay.StepTime(step));
  const auto pattern_of = [&](std::size_t steps, std::size_t of_peers) -> Value {
    if (counted.size() < kStepsForPattern || steps == 0) return kNull;
    if (IsNearlyAll(steps, counted.size())) return "fixed";
    return IsNearlyAll(of_peers, counted.size()) ? "rotating" : "random";
  };
  const auto& columns = SchemaOf<BlameOfRanks>();
  auto table = columns.NewTable(std::string(BlameOfRanks::kName));
  std::vector<std::pair<std::pair<std::uint32_t, LateCause>, const RootSums*>> rows;
  rows.reserve(roots.size());
  for (const auto& [root, sums] : roots) rows.emplace_back(root, &sums);
  const auto has_reason = [](LateCause cause) { return cause < LateCause::kUsualWork; };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    if (has_reason(a.first.second) != has_reason(b.first.second)) return has_reason(a.first.second);
    return a.second->blamed_ns > b.second->blamed_ns;
  });
  for (const auto& [root, sums] : rows) {
    const auto& [who, cause] = root;
    const std::vector<std::uint32_t>& ranks = late.Who(who);
    const bool is_one = ranks.size() == 1;
    const auto op =
        std::max_element(sums->by_op.begin(), sums->by_op.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::string ranks_text = TextOf(job, ranks);
    const std::string peers_text =
        is_one ? TextOf(job, peers.of[peers.group_of[ranks.front()]]) : std::string();
    const std::size_t steps = StepsOf(*sums, replay).size();
    table.Add({columns.rank = is_one ? Value(NumberOf(job, ranks.front())) : Value(kNull),
               columns.ranks = ranks_text, columns.stage = StageOf(job, ranks),
               columns.peers = TextOrNull(peers_text), columns.cause = ToString(cause),
               columns.op = op == sums->by_op.end() ? Value(kNull) : TextOrNull(op->first),
               columns.late_arrivals = sums->late_arrivals, columns.blamed_ns = sums->blamed_ns,
               columns.share_pct = PercentOf(sums->blamed_ns, skew),
               columns.step_pct = PercentOf(LongestWait(*sums), whole),
               columns.steps = static_cast<std::int64_t>(steps),
               columns.of_steps = static_cast<std::int64_t>(counted.size()),
               columns.pattern = pattern_of(steps, steps_of_peers[{peers_of(who), cause}].size())});
  }
  return table;
}

Result<Table> ListLateArrivals(const InputTables&, const JobContext& job, const Options&) {
  const JobGraph& graph = GraphOf(job);
  const JobCollectives& all = AcrossOf(job).collectives();
  const Replay& replay = ReplayedOf(job).now();
  const LateArrivals late = FindBlame(job);
  const auto& columns = SchemaOf<LateArrivalRows>();
  auto table = columns.NewTable("late_arrivals");
  for (const LateArrival& arrival : late.all()) {
    const JobGraph::Meeting& meeting = graph.meetings()[arrival.meeting];
    const bool is_collective = meeting.collective != UINT32_MAX;
    const LateRoot& root = late.RootsOf(arrival).front();
    const std::string ranks = TextOf(job, late.Who(root.who));
    const std::int64_t event = root.node == kNoNode ? -1 : graph.EventOf(root.node);
    Value group = kNull;
    Value ordinal = kNull;
    std::string_view op = ToString(CollectiveOp::kSendReceive);
    if (is_collective) {
      const JobCollective& collective = all.collectives()[meeting.collective];
      group = std::string_view(all.groups()[collective.group].name);
      ordinal = collective.ordinal;
      op = ToString(collective.op);
    }
    table.Add({columns.step = graph.steps()[arrival.step].number, columns.group = group,
               columns.ordinal = ordinal, columns.op = op,
               columns.members = std::int64_t{meeting.count},
               columns.at_ns = replay.BeginOf(arrival.last),
               columns.first_rank = NumberOf(job, graph.RankOf(arrival.first)),
               columns.last_rank = NumberOf(job, graph.RankOf(arrival.last)),
               columns.skew_ns = arrival.skew_ns, columns.wait_ns = arrival.wait_ns,
               columns.marginal_ns = arrival.lead_ns, columns.root_ranks = ranks,
               columns.root_cause = ToString(root.cause), columns.root_ns = root.blamed_ns,
               columns.root_op =
                   root.node == kNoNode ? Value(kNull) : TextOrNull(NameOf(graph, root.node)),
               columns.root_event = event < 0 ? Value(kNull) : Value(event)});
  }
  table.SortBy({{columns.at_ns, false}, {columns.last_rank, false}});
  return table;
}

}  // namespace

const Analysis& BlameAnalysis() {
  static const auto& columns = SchemaOf<BlameOfRanks>();
  static const Analysis kAnalysis = {
      .name = std::string(BlameOfRanks::kName),
      .summary = "who lets the others wait at collectives, for which reason, in how many steps",
      .definition =
          "Of every collective, and send with its receive, of the counted steps whose members "
          "arrive further apart than their clocks leave open: from the last arrival and from the "
          "first one back through what each waited for, through other rendezvous to their last "
          "members, until both ways meet. What the last one's way has in excess of what is usual "
          "at "
          "its place of the step (the median of the peers' steps) is charged with the skew by rank "
          "and cause, the largest sum first, until the skew is used up; what is left is usual "
          "work, "
          "or unexplained. Causes come first, by their time; usual work and what is unexplained "
          "behind them (docs/blame.md).",
      .example = "rankscope table blame traces/",
      .columns = columns.columns(),
      .facts = {&AcrossFact(), &ReplayFact()},
      .inputs = {},
      .derive = Blame,
  };
  return kAnalysis;
}

const Analysis& LateArrivalsAnalysis() {
  static const auto& columns = SchemaOf<LateArrivalRows>();
  static const Analysis kAnalysis = {
      .name = "late_arrivals",
      .size = Size::kDetail,
      .summary = "every late arrival at a collective or send, and its root",
      .definition =
          "The rendezvous that blame sums, one by one in order of time, each with the "
          "root that has the largest part of its skew.",
      .example = "rankscope table late_arrivals traces/",
      .columns = columns.columns(),
      .facts = {&AcrossFact(), &ReplayFact()},
      .inputs = {},
      .derive = ListLateArrivals,
  };
  return kAnalysis;
}

}  // namespace rankscope
