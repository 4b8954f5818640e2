#include "insight/replay_tables/slack_over_ranks.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "analysis/across/across_fact.h"
#include "base/saturating.h"
#include "replay/replay_fact.h"
#include "replay/scenario/slack.h"
#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {
namespace {

constexpr double kNearOfStep = 0.01;

struct SlackOverRanks : Schema<SlackOverRanks> {
  IntColumn step = Int(column::StepOfLaunch());
  IntColumn rank = Int(column::Rank());
  IntColumn least_slack_ns = Int(
      "least_slack_ns", "ns",
      "the least of its kernels and copies, but for communication, which all members share: how "
      "much longer one could take before a counted step ends later; 0: it is critical; null "
      "when no step waits for any of them");
  IntColumn compute_ns =
      Int("compute_ns", "ns",
          "computing that is critical or nearly so: kernels with a slack of at most 1% of the "
          "step; work that runs beside other work counts twice");
  IntColumn communication_ns =
      Int("communication_ns", "ns", "the same of transfers (of communication without its waiting)");
  IntColumn copy_ns = Int("copy_ns", "ns", "the same of copies and memsets");
  IntColumn host_ns = Int("host_ns", "ns", "the same of what hosts do in the step");
  RealColumn near_pct = Real("near_pct", "%",
                             "how much of its device work of the step that is, transfers without "
                             "their waiting; null without any");
};

enum Class : std::uint8_t { kCompute, kCommunication, kCopy, kHost };
Class ClassOf(Work work) {
  if (work == Work::kCompute) return kCompute;
  if (work == Work::kCommunication) return kCommunication;
  return work == Work::kCopy ? kCopy : kHost;
}

struct Sums {
  std::optional<std::int64_t> least;
  std::array<std::int64_t, 4> near{};
  std::int64_t device = 0;
};

Result<Table> DeriveSlackOverRanks(const InputTables&, const JobContext& job, const Options&) {
  const JobGraph& graph = GraphOf(job);
  const Scenario& recorded = ReplayedOf(job).recorded();
  const Replay& replay = ReplayedOf(job).now();
  const std::vector<std::int64_t> slack = SlackOf(graph, recorded, replay);
  std::map<std::uint32_t, std::int64_t> limit;  // of counted steps
  for (const std::size_t step : CountedSteps(graph))
    limit[static_cast<std::uint32_t>(step)] =
        static_cast<std::int64_t>(kNearOfStep * static_cast<double>(replay.StepTime(step)));
  std::map<std::pair<std::uint32_t, std::int64_t>, Sums> rows;
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    const std::int64_t rank = AcrossOf(job).collectives().ranks()[capture.rank].rank;
    for (const NodeId node : capture.nodes()) {
      const auto near = limit.find(graph.StepOf(node));
      if (near == limit.end()) continue;
      Sums& sums = rows[{near->first, rank}];
      const Work work = graph.KindOf(node).work;
      if (IsDevice(work)) AddSaturating(sums.device, recorded.DurationOf(node));
      if (slack[node] == kNoSlackKnown) continue;
      if (work == Work::kCompute || work == Work::kCopy)
        sums.least = std::min(sums.least.value_or(slack[node]), slack[node]);
      if (slack[node] <= near->second)
        AddSaturating(sums.near[ClassOf(work)], recorded.DurationOf(node));
    }
  }
  const auto& columns = SchemaOf<SlackOverRanks>();
  auto table = columns.NewTable("slack_over_ranks");
  for (const auto& [key, sums] : rows) {
    const auto& [step, rank] = key;
    std::int64_t near = sums.near[kCompute];
    AddSaturating(near, sums.near[kCommunication]);
    AddSaturating(near, sums.near[kCopy]);
    table.Add({columns.step = graph.steps()[step].number, columns.rank = rank,
               columns.least_slack_ns = sums.least ? Value(*sums.least) : Value(kNull),
               columns.compute_ns = sums.near[kCompute],
               columns.communication_ns = sums.near[kCommunication],
               columns.copy_ns = sums.near[kCopy], columns.host_ns = sums.near[kHost],
               columns.near_pct = sums.device <= 0 ? Value(kNull)
                                                   : Value(100 * static_cast<double>(near) /
                                                           static_cast<double>(sums.device))});
  }
  return table;
}

}  // namespace

const Analysis& SlackOverRanksAnalysis() {
  static const auto& columns = SchemaOf<SlackOverRanks>();
  static const Analysis kAnalysis = {
      .name = "slack_over_ranks",
      .size = Size::kDetail,
      .summary = "how close every rank's work is to deciding how long a step takes",
      .definition =
          "Backwards through the graph of all ranks from the ends of the counted steps: each "
          "stretch of work may end as late as what waits for it must begin. Slack is how much "
          "longer it could take before any counted step ends later; work on the critical path over "
          "all ranks (path_over_ranks) has none. Paths that are nearly as long as the critical one "
          "show as ranks with little slack: curing one alone gains no more than the slack of the "
          "others.",
      .example = "rankscope table slack_over_ranks traces/",
      .columns = columns.columns(),
      .facts = {&AcrossFact(), &ReplayFact()},
      .inputs = {},
      .derive = DeriveSlackOverRanks,
  };
  return kAnalysis;
}

}  // namespace rankscope
