#include "mcp/report_results.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_set.h"
#include "mcp/rounded.h"
#include "report/base/flop_utilisation.h"
#include "report/base/step_time.h"
#include "report/base/table_view.h"
#include "report/words/finding_words.h"
#include "schemas/captures.h"
#include "schemas/diff.h"
#include "schemas/findings.h"

namespace rankscope::mcp {
namespace {

constexpr std::size_t kReportResultsMostPlaces = 4;

std::optional<std::string> TextOf(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

std::optional<std::int64_t> MeanNs(const std::vector<double>& steps) {
  if (steps.empty()) return std::nullopt;
  double sum = 0;
  for (const double ns : steps) sum += ns;
  return std::llround(sum / static_cast<double>(steps.size()));
}

JobFacts JobOf(const Report& report) {
  const std::vector<double> steps = CompleteStepsNs(report);
  const auto mfu = ModelFlopUtilisationOf(report);
  return {.ranks = RangesText(report.ranks),
          .world_size = report.StatedWorldSize(),
          .devices = report.devices,
          .step_time_ns = MeanNs(steps),
          .complete_steps = static_cast<std::int64_t>(steps.size()),
          .bottleneck = TextOf(Bottleneck(report)),
          .combined_gain_pct = Rounded(CombinedGainPct(report)),
          .mfu_pct = mfu ? std::optional(Rounded(mfu->pct)) : std::nullopt};
}

std::optional<std::vector<std::string>> WhereOf(std::string_view places) {
  std::vector<std::string> where;
  for (const Place& place : ParsePlaces(places)) {
    if (where.size() == kReportResultsMostPlaces) break;
    where.push_back(PlaceWords(place));
  }
  if (where.empty()) return std::nullopt;
  return where;
}

FoundCause CauseOf(const Report& report, const RowsOf<Findings>& rows, std::size_t row) {
  return {.id = std::string(rows.String(row, rows->id)),
          .severity = std::string(rows.String(row, rows->severity)),
          .title = std::string(rows.String(row, rows->title)),
          .gain_pct = Rounded(rows.Number(row, rows->gain_pct)),
          .gain_unprofiled_pct = Rounded(rows.Number(row, rows->gain_unprofiled_pct)),
          .gain_ns = rows.Int(row, rows->gain_ns),
          .gain_method = TextOf(rows.String(row, rows->gain_method)),
          .confidence = Rounded(rows.Number(row, rows->confidence)),
          .who = TextOf(rows.String(row, rows->who)),
          .ranks = TextOf(rows.String(row, rows->ranks)),
          .steps = TextOf(rows.String(row, rows->steps)),
          .why = TextOf(rows.String(row, rows->why)),
          .where = WhereOf(rows.String(row, rows->places)),
          .recommendation = TextOf(rows.String(row, rows->recommendation)),
          .command = TextOf(CommandWords(report, rows.String(row, rows->command)))};
}

std::string HeadlineOf(const Report& report) {
  std::string headline = FindingsSentence(report) + FlopUtilisationSentence(report);
  for (const std::string& more : {LargestPartsSentence(report), ReplaySentence(report)}) {
    if (!more.empty()) headline += " " + more;
  }
  return headline;
}

DiffFinding FindingOf(const RowsOf<DiffFindings>& rows, std::size_t row) {
  return {.state = std::string(rows.String(row, rows->state)),
          .id = std::string(rows.String(row, rows->id)),
          .title = std::string(rows.String(row, rows->title)),
          .base_gain_pct = Rounded(rows.Number(row, rows->base_gain_pct)),
          .test_gain_pct = Rounded(rows.Number(row, rows->test_gain_pct))};
}

}  // namespace

FindingsResult FindingsOf(const Report& report) {
  FindingsResult result{.headline = HeadlineOf(report), .job = JobOf(report)};
  const RowsOf<Recording> recording(report);
  for (std::size_t row = 0; row < recording.rows(); ++row) {
    result.recording.push_back({.code = std::string(recording.String(row, recording->code)),
                                .severity = std::string(recording.String(row, recording->severity)),
                                .message = std::string(recording.String(row, recording->message)),
                                .ranks = TextOf(recording.String(row, recording->ranks))});
  }
  const RowsOf<Findings> findings(report);
  for (std::size_t row = 0; row < findings.rows(); ++row)
    result.findings.push_back(CauseOf(report, findings, row));
  for (const auto& [id, reason] : CausesNotEvaluated(report))
    result.not_evaluated.push_back({std::string(id), std::string(reason)});
  return result;
}

DiffResult DiffOf(const DiffReport& report) {
  const RowsOf<DiffJob> job(report.Find(DiffJob::kName));
  DiffResult result{.headline = DiffHeadline(report),
                    .reasons = DiffReasons(report),
                    .base = report.base.traces,
                    .test = report.test.traces,
                    .unit = std::string(job.String(0, job->unit)),
                    .base_ns = job.Int(0, job->base_ns),
                    .test_ns = job.Int(0, job->test_ns),
                    .change_pct = Rounded(job.Number(0, job->change_pct)),
                    .p = Rounded(job.Number(0, job->p))};
  const ViewOf<DiffJob> table_of_job = *report.Find(DiffJob::kName);
  if (!table_of_job.IsNull(0, job->significant))
    result.significant = table_of_job.Bool(0, job->significant);
  const RowsOf<DiffFindings> findings(report.Find(DiffFindings::kName));
  for (std::size_t row = 0; row < findings.rows(); ++row) {
    if (findings.String(row, findings->state) != "same")
      result.findings.push_back(FindingOf(findings, row));
  }
  const RowsOf<DiffNotes> notes(report.Find(DiffNotes::kName));
  for (std::size_t row = 0; row < notes.rows(); ++row)
    result.notes.emplace_back(notes.String(row, notes->note));
  for (const Table& table : report.tables) {
    if (table.row_count() > 0) result.tables.push_back(table.name());
  }
  return result;
}

}  // namespace rankscope::mcp
