#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/across/across_fact.h"
#include "analysis/memory/memory_growth.h"
#include "insight/findings.h"
#include "insight/rule_ids.h"
#include "replay/replay_fact.h"
#include "replay/scenario.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

// Rules that compare ranks with each other.
constexpr std::array<std::string_view, 8> kOfSeveralRanks = {
    "slow-gpu",       "slow-host",          "data-straggler",     "slow-link",
    "network-jitter", "sharding-imbalance", "sequence-imbalance", "expert-imbalance",
};

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

std::string_view ReasonOf(const RuleId& rule, const JobGraph& graph, std::size_t ranks,
                          const Table& growth) {
  if (rule.source == EvidenceSource::kTelemetry)
    return "needs telemetry of hosts and devices, which traces do not have";
  if (rule.source == EvidenceSource::kServing)
    return "needs data of the serving program: requests, queues, batches";
  if (CountedSteps(graph).empty()) return "no step was recorded";
  if (ranks < 2 &&
      std::find(kOfSeveralRanks.begin(), kOfSeveralRanks.end(), rule.id) != kOfSeveralRanks.end())
    return "one rank was recorded: there is none to compare it with";
  if (rule.id == "slow-link" && SetsThatMeet(graph) < 2)
    return "no two groups of ranks exchange: there is none to compare the transfers with";
  if (rule.id == "memory-leak" && growth.row_count() == 0)
    return "no allocations were recorded (profile_memory=True)";
  const bool has_shapes = std::any_of(graph.kinds().begin(), graph.kinds().end(),
                                      [](const NodeKind& kind) { return !kind.shapes.empty(); });
  if (rule.id == "low-roofline" && !has_shapes)
    return "no shapes were recorded (record_shapes=True)";
  return "";
}

Result<Table> Derive(std::span<const Table* const> inputs, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<NotEvaluated>();
  Table table = columns.NewTable(std::string(NotEvaluated::kName));
  for (const RuleId& rule : RuleIds()) {
    const std::string_view reason =
        ReasonOf(rule, GraphOf(job), AcrossOf(job).collectives().ranks().size(), *inputs[0]);
    if (!reason.empty()) table.Add({columns.id = rule.id, columns.reason = reason});
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
      .inputs = {&MemoryGrowthAnalysis()},
      .derive = Derive,
  };
  return kAnalysis;
}

}  // namespace rankscope
