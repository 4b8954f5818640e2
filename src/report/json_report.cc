#include "report/json_report.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "json/json_text.h"
#include "report/finding_words.h"
#include "report/json_cells.h"
#include "report/step_time.h"
#include "report/table_view.h"
#include "schemas/across.h"
#include "schemas/captures.h"
#include "schemas/findings.h"
#include "schemas/layout.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

std::vector<std::int64_t> StepNumbers(const Report& report) {
  std::set<std::int64_t> numbers;
  const RowsOf<StepTimes> steps(report);
  for (std::size_t row = 0; row < steps.rows(); ++row) {
    if (const auto step = steps.Int(row, steps->step)) numbers.insert(*step);
  }
  return {numbers.begin(), numbers.end()};
}

// Degrees of the ranks that train, or of all when none does; null when nothing is known.
void AppendLayout(std::string& out, const Report& report) {
  const RowsOf<Layout> layout(report);
  if (layout.empty()) {
    out += "null";
    return;
  }
  out += '{';
  double confidence = 1;
  for (std::size_t row = 0; row < layout.rows(); ++row) {
    if (layout.String(row, layout->role) != layout.String(0, layout->role)) break;
    AppendKey(out, layout.String(row, layout->dimension));
    AppendJsonInteger(out, layout.Int(row, layout->degree).value_or(1));
    out += ',';
    confidence = std::min(confidence, layout.Number(row, layout->confidence).value_or(0));
  }
  AppendKey(out, "confidence");
  AppendJsonDouble(out, confidence);
  out += ',';
  AppendKey(out, "partial");
  out += layout.Flag(0, layout->partial) ? "true}" : "false}";
}

// Of the ranks whose clocks are known to each other.
void AppendClocks(std::string& out, const Report& report) {
  const RowsOf<Clocks> clocks(report);
  out += '[';
  bool any = false;
  for (std::size_t row = 0; row < clocks.rows(); ++row) {
    if (!clocks.Flag(row, clocks->aligned)) continue;
    out += any ? ",{" : "{";
    any = true;
    for (const auto& [key, column] :
         {std::pair("rank", clocks->rank), std::pair("offset_ns", clocks->offset_ns),
          std::pair("uncertainty_ns", clocks->uncertainty_ns)}) {
      if (out.back() != '{') out += ',';
      AppendKey(out, key);
      AppendJsonInteger(out, clocks.Int(row, column).value_or(0));
    }
    out += '}';
  }
  out += ']';
}

// How well the replay fits the job; null where there was none.
void AppendReplay(std::string& out, const Report& report) {
  const RowsOf<ReplayFidelity> fidelity(report);
  if (fidelity.empty()) {
    out += "null";
    return;
  }
  out += "{\"error_pct\":";
  AppendNumber(out, fidelity.Number(0, fidelity->error_pct));
  out += ",\"prediction_error_pct\":";
  AppendNumber(out, fidelity.Number(0, fidelity->prediction_error_pct));
  out += ",\"unexplained_pct\":";
  AppendNumber(out, fidelity.Number(0, fidelity->unexplained_pct));
  out += ",\"refused_reason\":";
  AppendText(out, fidelity.String(0, fidelity->refused_reason));
  out += '}';
}

void AppendFindings(std::string& out, const Report& report) {
  const RowsOf<Findings> findings(report);
  out += '[';
  for (std::size_t row = 0; row < findings.rows(); ++row) {
    out += row == 0 ? "\n" : ",\n";
    AppendFinding(out, findings, row);
  }
  out += ']';
}

// What every share and gain is of: a step, or the recording where there are none.
std::string_view BaseKind(const Report& report) {
  return RowsOf<StepSpread>(report).empty() ? "recording" : "step";
}

// The base, what of it no change known wins back, and the contributions: all sum to the base.
void AppendContributions(std::string& out, const Report& report) {
  const RowsOf<Contributions> rows(report);
  std::int64_t sum = 0;
  std::optional<std::int64_t> best;
  std::string list = "[";
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::int64_t time = rows.Int(row, rows->time_ns).value_or(0);
    sum += time;
    if (rows.String(row, rows->finding).empty()) {
      best = time;
      continue;
    }
    list += list.size() > 1 ? ",\n{" : "\n{";
    AppendKey(list, "what");
    AppendText(list, rows.String(row, rows->what));
    list += ",\"who\":";
    AppendList(list, ParseRanges(rows.String(row, rows->ranks)));
    list += ",\"group\":";
    AppendText(list, rows.String(row, rows->who));
    list += ",\"where\":";
    list += rows.String(row, rows->places);
    list += ",\"steps\":";
    AppendList(list, ParseRanges(rows.String(row, rows->steps)));
    list += ",\"time_ns\":";
    AppendJsonInteger(list, time);
    list += ",\"gain_pct\":";
    AppendNumber(list, rows.Number(row, rows->gain_pct));
    list += ",\"marginal_gain_pct\":";
    AppendNumber(list, rows.Number(row, rows->marginal_gain_pct));
    list += ",\"finding\":";
    AppendText(list, rows.String(row, rows->finding));
    list += '}';
  }
  out += "{\"kind\":";
  AppendText(out, BaseKind(report));
  out += ",\"ns\":";
  AppendInteger(out, best ? std::optional(sum) : std::nullopt);
  out += "},\n\"best_ns\":";
  AppendInteger(out, best);
  out += ",\n\"contributions\":" + list + ']';
}

void AppendJob(std::string& out, const Report& report) {
  out += "{\"ranks\":";
  AppendList(out, report.ranks);
  out += ",\"world_size\":";
  out += report.world_size < 0 ? "null" : std::to_string(report.world_size);
  out += ",\"steps\":";
  AppendList(out, StepNumbers(report));
  out += ",\"devices\":[";
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    if (i != 0) out += ',';
    AppendJsonString(out, report.devices[i]);
  }
  out += "],\"origin_ns\":";
  AppendJsonString(out, std::to_string(report.origin_ns));
  out += ",\"layout\":";
  AppendLayout(out, report);
  out += ",\"clock\":";
  AppendClocks(out, report);
  out += ",\"step_time_ns\":";
  AppendStepTimeJson(out, report);
  out += ",\"bottleneck\":";
  AppendText(out, Bottleneck(report));
  out += ",\"combined_gain_pct\":";
  AppendNumber(out, CombinedGainPct(report));
  out += ",\"replay\":";
  AppendReplay(out, report);
  out += '}';
}

void AppendRecording(std::string& out, const Report& report) {
  const RowsOf<Recording> rows(report);
  out += '[';
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    out += row == 0 ? "\n{\"code\":" : ",\n{\"code\":";
    AppendJsonString(out, rows.String(row, rows->code));
    out += ",\"severity\":";
    AppendJsonString(out, rows.String(row, rows->severity));
    out += ",\"message\":";
    AppendJsonString(out, rows.String(row, rows->message));
    out += ",\"ranks\":";
    AppendList(out, ParseRanges(rows.String(row, rows->ranks)));
    out += '}';
  }
  out += ']';
}

void AppendQuality(std::string& out, const Report& report) {
  out += '[';
  const RowsOf<DataQuality> quality(report);
  for (std::size_t row = 0; row < quality.rows(); ++row) {
    out += row == 0 ? "{" : ",{";
    AppendKey(out, "rank");
    AppendInteger(out, quality.Int(row, quality->rank));
    out += ',';
    AppendKey(out, "file");
    AppendJsonString(out, quality.String(row, quality->file));
    out += ',';
    AppendKey(out, "byte");
    AppendInteger(out, quality.Int(row, quality->byte));
    out += ',';
    AppendKey(out, "code");
    AppendJsonString(out, quality.String(row, quality->code));
    out += ',';
    AppendKey(out, "count");
    AppendInteger(out, quality.Int(row, quality->count));
    out += ',';
    AppendKey(out, "message");
    AppendJsonString(out, quality.String(row, quality->message));
    out += '}';
  }
  out += ']';
}

}  // namespace

std::string WriteJsonReport(const Report& report) {
  std::string out = "{\"schema\":\"rankscope.report/1\",\n\"job\":";
  AppendJob(out, report);
  out += ",\n\"base\":";
  AppendContributions(out, report);
  out += ",\n\"recording\":";
  AppendRecording(out, report);
  out += ",\n\"quality\":";
  AppendQuality(out, report);
  out += ",\n\"findings\":";
  AppendFindings(out, report);
  out += ",\n\"not_evaluated\":[";
  const auto causes = CausesNotEvaluated(report);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    out += i == 0 ? "{" : ",{";
    AppendKey(out, "id");
    AppendJsonString(out, causes[i].first);
    out += ',';
    AppendKey(out, "reason");
    AppendJsonString(out, causes[i].second);
    out += '}';
  }
  out += "],\n\"tables\":{";
  AppendTables(out, report.tables);
  out += "}}\n";
  return out;
}

}  // namespace rankscope
