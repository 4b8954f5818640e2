#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/across/across_fact.h"
#include "analysis/captures/analyses.h"
#include "analysis/layout/analyses.h"
#include "analysis/memory/analyses.h"
#include "analysis/snoop/analyses.h"
#include "analysis/telemetry/analyses.h"
#include "insight/all_rules.h"
#include "insight/base/cause_tools.h"
#include "insight/findings.h"
#include "insight/job_findings.h"
#include "quantity/quantity.h"
#include "quantity/slowdowns.h"
#include "replay/replay_fact.h"
#include "replay/scenario/scenario.h"
#include "schemas/captures.h"
#include "schemas/findings.h"
#include "schemas/layout.h"
#include "schemas/memory.h"
#include "schemas/snoop.h"
#include "schemas/telemetry.h"

namespace rankscope {
namespace {

// Sets of ranks that have a collective or a send in common, up to two.
std::size_t SetsThatMeet(const JobGraph& graph) {
  std::set<std::vector<std::uint32_t>> sets;
  for (const JobGraph::Meeting& meeting : graph.meetings()) {
    std::vector<std::uint32_t> ranks;
    for (const NodeId node : graph.MembersOf(meeting)) ranks.push_back(graph.RankOf(node));
    std::sort(ranks.begin(), ranks.end());
    sets.insert(std::move(ranks));
    if (sets.size() > 1) break;
  }
  return sets.size();
}

bool HasShapes(const JobGraph& graph) {
  return std::any_of(graph.kinds().begin(), graph.kinds().end(),
                     [](const NodeKind& kind) { return !kind.shapes.empty(); });
}

// What rules need of the job.
struct Recorded {
  const JobGraph& graph;
  std::size_t ranks = 0;
  ViewOf<MemoryGrowth> growth;
  ViewOf<Pipeline> pipeline;
  bool is_enough = true;                         // as findings have it
  bool knows_devices = true;                     // the same
  std::set<std::string, std::less<>> telemetry;  // names of the samples around recordings
  bool has_windows = false;                      // of snoop
};

bool HasSamples(const Recorded& recorded, std::string_view prefix) {
  const auto found = recorded.telemetry.lower_bound(prefix);
  return found != recorded.telemetry.end() && found->starts_with(prefix);
}

constexpr std::string_view kNoTelemetry =
    "needs telemetry of hosts and devices beside the traces (rankscope-agent sends it along)";

// Why the rule cannot look at the job: what it needs is not there. "" when it can.
std::string ReasonOf(const Rule& rule, const Recorded& recorded) {
  const auto& [graph, ranks, growth, pipeline, is_enough, knows_devices, telemetry, has_windows] =
      recorded;
  if (rule.needs_graph && !is_enough) return "too little work was recorded (table recording)";
  // Passes of a pipeline are told without steps, too.
  const bool needs_steps = rule.needs_graph || pipeline.row_count() == 0;
  if (needs_steps && CountedSteps(graph).empty()) return "no step was recorded";
  if (!knows_devices && rule.IsOfDevices())
    return "what devices did was not recorded as a whole (table recording)";
  switch (rule.needs) {
    case RuleNeeds::kNothing:
      return "";
    case RuleNeeds::kDevice:
      return HasDeviceWork(graph) ? "" : "no work of a device was recorded";
    case RuleNeeds::kSeveralRanks:
    case RuleNeeds::kSeveralGroups:
      if (ranks < 2) return "one rank was recorded: there is none to compare it with";
      if (rule.needs == RuleNeeds::kSeveralGroups && SetsThatMeet(graph) < 2)
        return "no two groups of ranks exchange: there is none to compare the transfers with";
      return "";
    case RuleNeeds::kShapes:
      return HasShapes(graph) ? "" : "no shapes were recorded (record_shapes=True)";
    case RuleNeeds::kAllocations:
      return growth.row_count() > 0 ? "" : "no allocations were recorded (profile_memory=True)";
    case RuleNeeds::kClocks:
      if (telemetry.empty()) return std::string(kNoTelemetry);
      return HasSamples(recorded, quantity::SlowedBy(""))
                 ? ""
                 : fmt::format("the telemetry does not say what holds clocks down ({})",
                               quantity::SlowedBy("*"));
    case RuleNeeds::kCoreWaits:
      if (telemetry.empty()) return std::string(kNoTelemetry);
      return telemetry.contains(quantity::kProcessCoreWait.name) ||
                     telemetry.contains(quantity::kHostCpuPressure.name)
                 ? ""
                 : fmt::format(
                       "the telemetry does not say how long threads wait for cores ({}, {})",
                       quantity::kProcessCoreWait.name, quantity::kHostCpuPressure.name);
    case RuleNeeds::kUnitsActive:
      if (telemetry.empty()) return std::string(kNoTelemetry);
      return telemetry.contains(quantity::kDeviceSmActive.name) &&
                     telemetry.contains(quantity::kDeviceMemoryTotal.name)
                 ? ""
                 : fmt::format("the telemetry does not say how much of devices works ({}, {})",
                               quantity::kDeviceSmActive.name, quantity::kDeviceMemoryTotal.name);
    case RuleNeeds::kWindows:
      return has_windows ? ""
                         : "needs a window of snoop beside the traces (rankscope capture --snoop, "
                           "rankscope-agent snoop --format json)";
  }
  return "";
}

Result<Table> DeriveNotEvaluated(const InputTables& inputs, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<NotEvaluated>();
  auto table = columns.NewTable(std::string(NotEvaluated::kName));
  Recorded recorded{GraphOf(job),
                    AcrossOf(job).collectives().ranks().size(),
                    inputs.Of<MemoryGrowth>(),
                    inputs.Of<Pipeline>(),
                    IsEnough(inputs.Of<Recording>()),
                    KnowsDevices(inputs.Of<Recording>(), GraphOf(job)),
                    {},
                    inputs.Of<SnoopMemory>().row_count() > 0};
  const ViewOf<TelemetryByRank> telemetry = inputs.Of<TelemetryByRank>();
  for (std::size_t row = 0; row < telemetry.row_count(); ++row)
    recorded.telemetry.emplace(telemetry.String(row, SchemaOf<TelemetryByRank>().name));
  for (const FindingEntry& finding : JobFindings()) {
    const std::string reason = ReasonOf(*RuleOf(finding.id), recorded);
    if (!reason.empty()) table.Add({columns.id = finding.id, columns.reason = reason});
  }
  return table;
}

}  // namespace

const Analysis& NotEvaluatedAnalysis() {
  static const Analysis kAnalysis = {
      .name = "not_evaluated",
      .summary = "which causes these recordings cannot tell, and why",
      .definition =
          "The rules that did not look at the job, since what they need was not recorded.",
      .example = "rankscope table not_evaluated traces/",
      .columns = SchemaOf<NotEvaluated>().columns(),
      .facts = {&AcrossFact(), &ReplayFact()},
      .inputs = {&MemoryGrowthAnalysis(), &PipelineAnalysis(), &TelemetryByRankAnalysis(),
                 &RecordingAnalysis(), &SnoopMemoryAnalysis()},
      .derive = DeriveNotEvaluated,
  };
  return kAnalysis;
}

}  // namespace rankscope
