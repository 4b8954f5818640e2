#include "rerun/rerun.h"

#include <optional>
#include <utility>
#include <vector>

#include "app/fix_job.h"
#include "app/report_of.h"
#include "fix/output/unified_diff.h"
#include "report/base/table_view.h"
#include "report/words/finding_words.h"
#include "schemas/findings.h"

namespace rankscope::rerun {
namespace {

struct Told {
  std::size_t row = 0;
  Promise promise;
  std::string words;
};

// Of the finding in a report, the first of that id; none where it is not there.
std::optional<Told> FindingOf(const Report& report, std::string_view id) {
  const RowsOf<Findings> findings(report);
  for (std::size_t row = 0; row < findings.rows(); ++row) {
    if (findings.String(row, findings->id) != id) continue;
    const auto unprofiled = findings.Number(row, findings->gain_unprofiled_pct);
    return Told{
        .row = row,
        .promise = {.pct = unprofiled ? unprofiled : findings.Number(row, findings->gain_pct),
                    .is_bound = findings.String(row, findings->gain_method) == "bound"},
        .words = GainWords(report, row)};
  }
  return std::nullopt;
}

std::string FindingsOf(const Report& report) {
  const RowsOf<Findings> findings(report);
  std::string ids;
  for (std::size_t row = 0; row < findings.rows(); ++row)
    ids += fmt::format("{}{}", ids.empty() ? "" : ", ", findings.String(row, findings->id));
  return ids.empty() ? "it has none" : "it has " + ids;
}

// Recordings of a rerun are looked at once: they fill no cache.
Result<app::JobReport> ReportOf(std::vector<std::string> traces, app::Listener& listener) {
  app::JobSpec spec;
  spec.paths = std::move(traces);
  spec.cache.enabled = false;
  return app::ReportOf(spec, app::ReportUse::kText, listener);
}

std::vector<std::string> WordsOf(const Change& change) {
  std::vector<std::string> words;
  if (!change.tree.empty()) words.push_back("the program of " + change.tree);
  for (const auto& [name, value] : change.environment) words.push_back(name + "=" + value);
  return words;
}

// The patch of the finding, as `rankscope fix` makes it, for the tree that was recorded.
Result<Change> PatchOf(const Report& report, const std::string& tree, const std::string& finding,
                       std::vector<std::string>* words) {
  RS_ASSIGN_OR_RETURN(app::SourceFix made, app::FixSource(report, tree, {finding}));
  if (made.patches.files.empty()) {
    std::string why = made.nothing;
    for (const fix::Left& left : made.patches.left) why += "\n" + fix::LeftWords(left);
    return Error(
        StatusCode::kNotFound,
        "there is no patch to try; --changed FOLDER or --env NAME=VALUE says what to change "
        "instead: {}",
        why);
  }
  Change change;
  for (fix::FilePatch& file : made.patches.files) {
    for (const fix::Hunk& hunk : file.hunks)
      words->push_back(fmt::format("{}:{}: {}", file.path, hunk.line, hunk.what));
    change.files.emplace_back(std::move(file.path), std::move(file.after));
  }
  return change;
}

bool ChangesNothing(const Change& change) {
  return change.tree.empty() && change.environment.empty() && change.files.empty();
}

}  // namespace

Result<Outcome> Rerun(const RerunSpec& spec, const Watch& watch, app::Listener& listener) {
  Change change = spec.change;
  const bool needs_patch = ChangesNothing(change);
  if (needs_patch && (spec.finding.empty() || spec.plan.source.empty()))
    return Error(StatusCode::kInvalidArgument,
                 "nothing would be changed: --finding ID with --source FOLDER, --changed FOLDER or "
                 "--env NAME=VALUE says what");
  RS_ASSIGN_OR_RETURN(Experiment experiment, Experiment::Prepare(spec.plan, watch));
  Outcome outcome{.finding = spec.finding, .what = WordsOf(change)};
  if (!spec.finding.empty()) {
    RS_ASSIGN_OR_RETURN(std::vector<std::string> traces, experiment.RecordBefore());
    RS_ASSIGN_OR_RETURN(const app::JobReport before, ReportOf(std::move(traces), listener));
    const std::optional<Told> told = FindingOf(before.report, spec.finding);
    if (!told)
      return Error(StatusCode::kNotFound, "the recording of the command has no finding {}: {}",
                   spec.finding, FindingsOf(before.report));
    outcome.promise = told->promise;
    outcome.promise_words = told->words;
    if (needs_patch) {
      RS_ASSIGN_OR_RETURN(
          change, PatchOf(before.report, experiment.before_tree(), spec.finding, &outcome.what));
    }
  }
  RS_RETURN_IF_ERROR(experiment.Apply(change));
  RS_ASSIGN_OR_RETURN(Experiment::Both both, experiment.Time());
  outcome.before = std::move(both.before);
  outcome.after = std::move(both.after);
  outcome.gain = GainOf(outcome.before.steps_ns, outcome.after.steps_ns);
  outcome.verdict = VerdictOf(outcome.gain, outcome.promise);
  if (!spec.finding.empty()) {
    RS_ASSIGN_OR_RETURN(std::vector<std::string> traces, experiment.RecordAfter());
    RS_ASSIGN_OR_RETURN(const app::JobReport after, ReportOf(std::move(traces), listener));
    outcome.was_recorded_after = true;
    if (const std::optional<Told> left = FindingOf(after.report, spec.finding))
      outcome.gain_left = left->words;
  }
  return outcome;
}

}  // namespace rankscope::rerun
