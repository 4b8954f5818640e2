#include "insight/findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "analysis/across/across_fact.h"
#include "analysis/captures/analyses.h"
#include "base/parallel.h"
#include "insight/all_rules.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/choice/chooser.h"
#include "insight/choice/telling_order.h"
#include "insight/finding_rows.h"
#include "insight/rules/rules.h"
#include "replay/replay_fact.h"
#include "schemas/captures.h"

namespace rankscope {
namespace {

// "Proposed, and replayed: 1 layer of stage 1 to stage 0; a step takes 2.1 ms then, 12.3 % less."
// What gains nothing is not told; where replays are refused, it is told without what it gains.
void TellProposals(const RuleInput& input, std::vector<Found>& found) {
  std::vector<const Scenario*> then;
  std::vector<Cause*> causes;
  for (Found& one : found) {
    if (!one.cause.proposal) continue;
    then.push_back(&one.cause.proposal->then);
    causes.push_back(&one.cause);
  }
  if (!input.fidelity().refused.empty()) {
    for (Cause* cause : causes)
      cause->recommendation += fmt::format(" Proposed: {}.", cause->proposal->what);
    return;
  }
  const std::vector<double> gains = input.GainsOf(then);
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (gains[i] < kLowGain) continue;
    causes[i]->recommendation += fmt::format(
        " Proposed, and replayed: {}; a step takes {} then, {} less.", causes[i]->proposal->what,
        TimeText((1 - gains[i]) * input.step_ns()), PercentText(gains[i]));
  }
}

// Whether what was recorded is a program's start and no step: that it takes long has no cause.
bool IsOfStart(const JobGraph& graph, ViewOf<Recording> recording) {
  const auto& columns = SchemaOf<Recording>();
  if (graph.steps().size() != 1 || graph.steps().front().number != 0) return false;
  for (std::size_t row = 0; row < recording.row_count(); ++row) {
    if (recording.String(row, columns.code) == "start-up") return true;
  }
  return false;
}

// Rules that replay the job or look at all nodes of many ranks, by a profile: begun first, so that
// no thread is left with one of them when the others have ended.
bool TakesLong(const Rule& rule) {
  return &rule == &LaunchBoundRule() || &rule == &SlowCopiesRule() ||
         &rule == &ExposedCopiesRule() || &rule == &OptimizerOnHostRule() ||
         &rule == &HostWorkRule();
}

Result<Table> DeriveFindings(const InputTables& inputs, const JobContext& job, const Options&) {
  auto table = SchemaOf<Findings>().NewTable(std::string(Findings::kName));
  const RuleInput input(job, AcrossOf(job), ReplayedOf(job), inputs);
  const bool has_graph = !input.counted().empty() && input.step_ns() > 0;
  const bool knows_devices = KnowsDevices(inputs.Of<Recording>(), input.graph());
  const bool is_enough = IsEnough(inputs.Of<Recording>());
  const bool is_start = IsOfStart(input.graph(), inputs.Of<Recording>());
  std::vector<const Rule*> rules;
  for (const Rule* rule : AllRules()) {
    if (!(has_graph && is_enough) && rule->needs_graph) continue;
    if (!knows_devices && rule->IsOfDevices()) continue;
    if (is_start && IsGeneral(rule->tier)) continue;
    rules.push_back(rule);
  }
  // In the order of rules, whatever the order in which they run.
  std::vector<std::optional<Cause>> of_rules(rules.size());
  std::vector<std::size_t> turns(rules.size());
  std::iota(turns.begin(), turns.end(), std::size_t{0});
  std::stable_partition(turns.begin(), turns.end(),
                        [&](std::size_t i) { return TakesLong(*rules[i]); });
  ParallelFor(rules.size(), job.threads, [&](std::size_t turn) {
    const std::size_t i = turns[turn];
    of_rules[i] = CauseOf(*rules[i], input);
  });
  std::vector<Cause> causes;
  for (std::optional<Cause>& cause : of_rules) {
    if (cause) causes.push_back(std::move(*cause));
  }
  GainsTogether together(input);
  const Unprofiled unprofiled(input, inputs.Of<RecordedWork>(), together);
  std::vector<Found> found =
      ChosenOf(input, together, unprofiled, Weighed(input, std::move(causes), together));
  unprofiled.TellIn(found);
  found = InTellingOrder(input, together, std::move(found));
  unprofiled.TellTogether(found);
  TellProposals(input, found);
  for (const Found& one : found) AddFinding(input, one, table);
  return table;
}

std::vector<const Analysis*> InputsOfFindings() {
  std::vector<const Analysis*> inputs = TablesOfRules();
  for (const Analysis* needed : {&RecordingAnalysis(), &RecordedWorkAnalysis()}) {
    if (std::find(inputs.begin(), inputs.end(), needed) == inputs.end()) inputs.push_back(needed);
  }
  return inputs;
}

}  // namespace

const Analysis& FindingsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "findings",
      .summary = "why the job is slow, what to change, what that would gain",
      .definition =
          "Rules recognise causes in the graph of all ranks and in other tables (rankscope explain "
          "ID tells each). What a cause costs is found by replaying the job without it: gain_pct = "
          "100 (1 - mean complete step without it / now). Where the replay cannot be trusted "
          "(replay_fidelity) the gain is a bound: what the cause takes on its ranks; so it is of a "
          "cause of single ranks whose replay may be held up by waits for ranks that were not "
          "recorded, at most what the replay gains and those waits take. A cause is "
          "left out when those told before it explain it: when, without them, it gains less than "
          "35% of what it gains alone, or, where it is about other work than they, less than 3%.",
      .example = "rankscope table findings traces/",
      .columns = SchemaOf<Findings>().columns(),
      .facts = {&AcrossFact(), &ReplayFact()},
      .inputs = InputsOfFindings(),
      .derive = DeriveFindings,
  };
  return kAnalysis;
}

}  // namespace rankscope
