#include "insight/what_if/what_if.h"

#include <algorithm>
#include <cmath>

#include "analysis/across/across_fact.h"
#include "analysis/layout/analyses.h"
#include "insight/all_rules.h"
#include "insight/what_if/change.h"
#include "replay/replay_fact.h"
#include "schemas/findings.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

Result<std::vector<Change>> ChangesOf(const Options& options) {
  std::vector<Change> changes;
  std::string_view rest = options.find("changes")->second;
  while (!rest.empty()) {
    const std::size_t end = rest.find(';');
    if (const std::string_view text = rest.substr(0, end); !text.empty()) {
      RS_ASSIGN_OR_RETURN(Change change, ParseChange(text));
      changes.push_back(std::move(change));
    }
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  return changes;
}

Result<Table> DeriveWhatIf(const InputTables& inputs, const JobContext& job,
                           const Options& options) {
  RS_ASSIGN_OR_RETURN(const std::vector<Change> changes, ChangesOf(options));
  const RuleInput input(job, AcrossOf(job), ReplayedOf(job), inputs);
  const auto& columns = SchemaOf<WhatIf>();
  auto table = columns.NewTable(std::string(WhatIf::kName));
  const std::string& refused = input.fidelity().refused;
  // `beside`: the share of a step that is left by what no scenario has.
  const auto add = [&](std::string_view text, const Scenario& scenario, double beside,
                       std::string_view note) {
    const std::int64_t step = std::llround(input.step_ns());
    if (!refused.empty()) {
      table.Add({columns.change = text, columns.step_ns = step,
                 columns.refused_reason = std::string_view(refused)});
      return;
    }
    const double gain = 1 - (1 - input.GainOf(scenario)) * beside;
    table.Add({columns.change = text, columns.step_ns = step,
               columns.changed_ns = std::int64_t{std::llround((1 - gain) * input.step_ns())},
               columns.gain_pct = 100 * gain, columns.confidence = input.fidelity().Confidence(),
               columns.note = TextOrNull(note)});
  };
  Scenario together = input.recorded();
  double together_beside = 1;
  for (const Change& change : changes) {
    Scenario scenario = input.recorded();
    RS_RETURN_IF_ERROR(ApplyChange(input, change, scenario));
    RS_RETURN_IF_ERROR(ApplyChange(input, change, together));
    RS_ASSIGN_OR_RETURN(const double saved, SavedBeside(input, change));
    together_beside *= 1 - saved;
    RS_ASSIGN_OR_RETURN(const std::string_view note, NoteOn(input, change));
    add(change.text, scenario, 1 - saved, note);
  }
  if (changes.size() > 1) add("all together", together, together_beside, "");
  return table;
}

std::vector<const Analysis*> InputsOfWhatIf() {
  std::vector<const Analysis*> tables = TablesOfRules();
  if (std::find(tables.begin(), tables.end(), &PipelineAnalysis()) == tables.end())
    tables.push_back(&PipelineAnalysis());
  return tables;
}

}  // namespace

const Analysis& WhatIfAnalysis() {
  static const Analysis kAnalysis = {
      .name = "whatif",
      .size = Size::kDetail,
      .summary = "how long a step would take if something were otherwise",
      .definition =
          "The graph of all ranks replayed with changes (docs/replay.md; rankscope whatif --list "
          "has them): each alone, and all together. Nothing is predicted where the replay cannot "
          "be "
          "trusted (replay_fidelity).",
      .example =
          "rankscope whatif traces/ --change idealise:rank=3 --change "
          "scale:kind=communication,factor=0.5",
      .columns = SchemaOf<WhatIf>().columns(),
      .options = {{.name = "changes", .default_value = "", .doc = "changes, separated by ';'"}},
      .facts = {&AcrossFact(), &ReplayFact()},
      .inputs = InputsOfWhatIf(),
      .derive = DeriveWhatIf,
      .check = [](const Options& options) { return ChangesOf(options).status(); },
  };
  return kAnalysis;
}

}  // namespace rankscope
