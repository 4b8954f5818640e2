#include "report/documents/json_report.h"

#include <algorithm>
#include <optional>
#include <set>

#include "json/fields.h"
#include "json/writer.h"
#include "report/base/flop_utilisation.h"
#include "report/base/step_time.h"
#include "report/base/table_view.h"
#include "report/documents/json_cells.h"
#include "report/words/finding_words.h"
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
void WriteLayout(json::Writer& writer, const Report& report) {
  const RowsOf<Layout> layout(report);
  writer.Key("layout");
  if (layout.empty()) {
    writer.Null();
    return;
  }
  writer.BeginObject();
  double confidence = 1;
  for (std::size_t row = 0; row < layout.rows(); ++row) {
    if (layout.String(row, layout->role) != layout.String(0, layout->role)) break;
    writer.ExactMember(layout.String(row, layout->dimension),
                       layout.Int(row, layout->degree).value_or(1));
    confidence = std::min(confidence, layout.Number(row, layout->confidence).value_or(0));
  }
  writer.Member("confidence", confidence).Member("partial", layout.Flag(0, layout->partial));
  writer.EndObject();
}

// Of the ranks whose clocks are known to each other.
void WriteClocks(json::Writer& writer, const Report& report) {
  const RowsOf<Clocks> clocks(report);
  writer.Key("clock").BeginArray();
  for (std::size_t row = 0; row < clocks.rows(); ++row) {
    if (!clocks.Flag(row, clocks->aligned)) continue;
    writer.BeginObject()
        .ExactMember("rank", clocks.Int(row, clocks->rank).value_or(0))
        .ExactMember("offset_ns", clocks.Int(row, clocks->offset_ns).value_or(0))
        .ExactMember("uncertainty_ns", clocks.Int(row, clocks->uncertainty_ns).value_or(0))
        .EndObject();
  }
  writer.EndArray();
}

// How well the replay fits the job; null where there was none.
void WriteReplay(json::Writer& writer, const Report& report) {
  const RowsOf<ReplayFidelity> fidelity(report);
  writer.Key("replay");
  if (fidelity.empty()) {
    writer.Null();
    return;
  }
  writer.BeginObject()
      .Member("error_pct", fidelity.Number(0, fidelity->error_pct))
      .Member("prediction_error_pct", fidelity.Number(0, fidelity->prediction_error_pct))
      .Member("unexplained_pct", fidelity.Number(0, fidelity->unexplained_pct))
      .TextMember("refused_reason", fidelity.String(0, fidelity->refused_reason))
      .EndObject();
}

void WriteJob(json::Writer& writer, const Report& report) {
  writer.Key("job").BeginObject().ExactMember("ranks", report.ranks);
  writer.Member("world_size", report.StatedWorldSize())
      .ExactMember("steps", StepNumbers(report))
      .Member("devices", report.devices)
      .Member("origin_ns", std::to_string(report.origin_ns));
  WriteLayout(writer, report);
  WriteClocks(writer, report);
  writer.Key("step_time_ns");
  if (const std::optional<api::StepTime> step_time = StepTimeOf(report)) {
    json::FieldsOf<api::StepTime>().Write(*step_time, writer);
  } else {
    writer.Null();
  }
  writer.TextMember("bottleneck", Bottleneck(report))
      .Member("combined_gain_pct", CombinedGainPct(report))
      .Member("combined_unprofiled_pct", CombinedUnprofiledPct(report));
  const auto mfu = ModelFlopUtilisationOf(report);
  writer.Member("mfu_pct", mfu ? std::optional(mfu->pct) : std::nullopt);
  WriteReplay(writer, report);
  writer.EndObject();
}

// What every share and gain is of: a step, or the recording where there are none.
std::string_view BaseKind(const Report& report) {
  return RowsOf<StepSpread>(report).empty() ? "recording" : "step";
}

void WriteContribution(json::Writer& writer, const RowsOf<Contributions>& rows, std::size_t row) {
  writer.BeginObject()
      .TextMember("what", rows.String(row, rows->what))
      .ExactMember("who", ParseRanges(rows.String(row, rows->ranks)))
      .TextMember("group", rows.String(row, rows->who));
  writer.Key("where").Raw(rows.String(row, rows->places));
  writer.ExactMember("steps", ParseRanges(rows.String(row, rows->steps)))
      .ExactMember("time_ns", rows.Int(row, rows->time_ns).value_or(0))
      .Member("gain_pct", rows.Number(row, rows->gain_pct))
      .Member("marginal_gain_pct", rows.Number(row, rows->marginal_gain_pct))
      .TextMember("finding", rows.String(row, rows->finding))
      .EndObject();
}

// The base, what of it no change known wins back, and the contributions: all sum to the base. The
// row without a finding is what is left.
void WriteContributions(json::Writer& writer, const Report& report) {
  const RowsOf<Contributions> rows(report);
  std::int64_t sum = 0;
  std::optional<std::int64_t> best;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::int64_t time = rows.Int(row, rows->time_ns).value_or(0);
    sum += time;
    if (rows.String(row, rows->finding).empty()) best = time;
  }
  writer.Line().Key("base").BeginObject().Member("kind", BaseKind(report));
  writer.ExactMember("ns", best ? std::optional(sum) : std::nullopt).EndObject();
  writer.Line().ExactMember("best_ns", best);
  writer.Line().Key("contributions").BeginArray();
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.String(row, rows->finding).empty()) continue;
    WriteContribution(writer.Line(), rows, row);
  }
  writer.EndArray();
}

void WriteRecording(json::Writer& writer, const Report& report) {
  const RowsOf<Recording> rows(report);
  writer.Line().Key("recording").BeginArray();
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    writer.Line()
        .BeginObject()
        .Member("code", rows.String(row, rows->code))
        .Member("severity", rows.String(row, rows->severity))
        .Member("message", rows.String(row, rows->message))
        .ExactMember("ranks", ParseRanges(rows.String(row, rows->ranks)))
        .EndObject();
  }
  writer.EndArray();
}

void WriteQuality(json::Writer& writer, const Report& report) {
  const RowsOf<DataQuality> quality(report);
  writer.Line().Key("quality").BeginArray();
  for (std::size_t row = 0; row < quality.rows(); ++row) {
    writer.BeginObject()
        .ExactMember("rank", quality.Int(row, quality->rank))
        .Member("file", quality.String(row, quality->file))
        .ExactMember("byte", quality.Int(row, quality->byte))
        .Member("code", quality.String(row, quality->code))
        .ExactMember("count", quality.Int(row, quality->count))
        .Member("message", quality.String(row, quality->message))
        .EndObject();
  }
  writer.EndArray();
}

void WriteFindings(json::Writer& writer, const Report& report) {
  const RowsOf<Findings> findings(report);
  writer.Line().Key("findings").BeginArray();
  for (std::size_t row = 0; row < findings.rows(); ++row)
    WriteFinding(writer.Line(), findings, row);
  writer.EndArray();
}

void WriteNotEvaluated(json::Writer& writer, const Report& report) {
  writer.Line().Key("not_evaluated").BeginArray();
  for (const auto& [id, reason] : CausesNotEvaluated(report))
    writer.BeginObject().Member("id", id).Member("reason", reason).EndObject();
  writer.EndArray();
}

}  // namespace

std::string WriteJsonReport(const Report& report) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject().Member("schema", "rankscope.report/1");
  WriteJob(writer.Line(), report);
  WriteContributions(writer, report);
  WriteRecording(writer, report);
  WriteQuality(writer, report);
  WriteFindings(writer, report);
  WriteNotEvaluated(writer, report);
  WriteTables(writer.Line(), report.tables);
  writer.EndObject();
  return out + "\n";
}

std::string WriteJsonFindings(const Report& report) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject();
  WriteFindings(writer, report);
  WriteNotEvaluated(writer, report);
  writer.EndObject();
  return out + "\n";
}

}  // namespace rankscope
