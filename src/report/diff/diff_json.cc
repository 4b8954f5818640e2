#include "json/writer.h"
#include "report/diff/diff_report.h"
#include "report/documents/json_cells.h"
#include "schemas/diff.h"

namespace rankscope {
namespace {

void WriteSide(json::Writer& writer, const Report& report, std::optional<std::int64_t> steps) {
  writer.BeginObject()
      .Member("traces", report.traces)
      .ExactMember("ranks", report.ranks)
      .ExactMember("steps", steps)
      .Member("devices", report.devices)
      .EndObject();
}

// Of recordings there are no step times.
void WriteJob(json::Writer& writer, const DiffReport& report) {
  const RowsOf<DiffJob> job(report.Find(DiffJob::kName));
  const ViewOf<DiffJob> table = *report.Find(DiffJob::kName);
  const std::optional<bool> significant = table.IsNull(0, job->significant)
                                              ? std::nullopt
                                              : std::optional(table.Bool(0, job->significant));
  const bool is_step = job.String(0, job->unit) == "step";
  const auto of_steps = [&](auto value) { return is_step ? value : std::nullopt; };
  writer.Key("job").BeginObject();
  writer.ExactMember("step_time_base_ns", of_steps(job.Int(0, job->base_ns)))
      .ExactMember("step_time_test_ns", of_steps(job.Int(0, job->test_ns)))
      .Member("step_time_change_pct", of_steps(job.Number(0, job->change_pct)))
      .Member("significant", significant)
      .Member("p", job.Number(0, job->p))
      .TextMember("unit", job.String(0, job->unit))
      .Member("headline", DiffHeadline(report));
  writer.Key("base");
  WriteSide(writer, report.base, job.Int(0, job->base_steps));
  writer.Key("test");
  WriteSide(writer, report.test, job.Int(0, job->test_steps));
  writer.EndObject();
}

// Appeared and gone are findings as the job's own report has them; changed ones have both.
void WriteFindings(json::Writer& writer, const DiffReport& report, std::string_view state) {
  const RowsOf<DiffFindings> rows(report.Find(DiffFindings::kName));
  const RowsOf<Findings> base(report.base);
  const RowsOf<Findings> test(report.test);
  const auto write = [&](const RowsOf<Findings>& of, std::optional<std::int64_t> row) {
    WriteFinding(writer, of, static_cast<std::size_t>(row.value_or(0)));
  };
  writer.Key(state).BeginArray();
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.String(row, rows->state) != state) continue;
    writer.Line();
    const auto in_base = rows.Int(row, rows->base_row);
    const auto in_test = rows.Int(row, rows->test_row);
    if (in_base && in_test) {
      writer.BeginObject().Member("id", rows.String(row, rows->id)).Key("base");
      write(base, in_base);
      writer.Key("test");
      write(test, in_test);
      writer.EndObject();
    } else if (in_base) {
      write(base, in_base);
    } else {
      write(test, in_test);
    }
  }
  writer.EndArray();
}

}  // namespace

std::string WriteDiffJson(const DiffReport& report) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject().Member("schema", "rankscope.diff/1");
  WriteJob(writer.Line(), report);
  writer.Line().Key("findings").BeginObject();
  WriteFindings(writer, report, "appeared");
  WriteFindings(writer.Line(), report, "gone");
  WriteFindings(writer.Line(), report, "changed");
  writer.EndObject();
  WriteTables(writer.Line(), report.tables);
  writer.EndObject();
  return out + "\n";
}

}  // namespace rankscope
