#include "json/json_text.h"
#include "report/diff_report.h"
#include "report/json_cells.h"
#include "schemas/diff.h"

namespace rankscope {
namespace {

void AppendFlag(std::string& out, ViewOf<DiffJob> table, DiffJob::FlagColumn column) {
  out += table.IsNull(0, column) ? "null" : table.Bool(0, column) ? "true" : "false";
}

void AppendSide(std::string& out, const Report& report, std::optional<std::int64_t> steps) {
  out += "{\"traces\":";
  AppendJsonString(out, report.traces);
  out += ",\"ranks\":";
  AppendList(out, report.ranks);
  out += ",\"steps\":";
  AppendInteger(out, steps);
  out += ",\"devices\":[";
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    if (i != 0) out += ',';
    AppendJsonString(out, report.devices[i]);
  }
  out += "]}";
}

// Of recordings there are no step times.
void AppendJob(std::string& out, const DiffReport& report) {
  const RowsOf<DiffJob> job(report.Find(DiffJob::kName));
  const Table& table = *report.Find(DiffJob::kName);
  const bool is_step = job.String(0, job->unit) == "step";
  const auto of_steps = [&](auto value) { return is_step ? value : std::nullopt; };
  out += "{\"step_time_base_ns\":";
  AppendInteger(out, of_steps(job.Int(0, job->base_ns)));
  out += ",\"step_time_test_ns\":";
  AppendInteger(out, of_steps(job.Int(0, job->test_ns)));
  out += ",\"step_time_change_pct\":";
  AppendNumber(out, of_steps(job.Number(0, job->change_pct)));
  out += ",\"significant\":";
  AppendFlag(out, table, job->significant);
  out += ",\"p\":";
  AppendNumber(out, job.Number(0, job->p));
  out += ",\"unit\":";
  AppendText(out, job.String(0, job->unit));
  out += ",\"headline\":";
  AppendJsonString(out, DiffHeadline(report));
  out += ",\"base\":";
  AppendSide(out, report.base, job.Int(0, job->base_steps));
  out += ",\"test\":";
  AppendSide(out, report.test, job.Int(0, job->test_steps));
  out += '}';
}

// Appeared and gone are findings as the job's own report has them; changed ones have both.
void AppendFindings(std::string& out, const DiffReport& report, std::string_view state) {
  const RowsOf<DiffFindings> rows(report.Find(DiffFindings::kName));
  const RowsOf<Findings> base(report.base);
  const RowsOf<Findings> test(report.test);
  const auto append = [&](const RowsOf<Findings>& of, std::optional<std::int64_t> row) {
    AppendFinding(out, of, static_cast<std::size_t>(row.value_or(0)));
  };
  out += '[';
  bool is_first = true;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.String(row, rows->state) != state) continue;
    out += is_first ? "\n" : ",\n";
    is_first = false;
    const auto in_base = rows.Int(row, rows->base_row);
    const auto in_test = rows.Int(row, rows->test_row);
    if (in_base && in_test) {
      out += "{\"id\":";
      AppendJsonString(out, rows.String(row, rows->id));
      out += ",\"base\":";
      append(base, in_base);
      out += ",\"test\":";
      append(test, in_test);
      out += '}';
    } else if (in_base) {
      append(base, in_base);
    } else {
      append(test, in_test);
    }
  }
  out += ']';
}

}  // namespace

std::string WriteDiffJson(const DiffReport& report) {
  std::string out = "{\"schema\":\"rankscope.diff/1\",\n\"job\":";
  AppendJob(out, report);
  out += ",\n\"findings\":{";
  for (const std::string_view state : {"appeared", "gone", "changed"}) {
    if (out.back() != '{') out += ",\n";
    AppendKey(out, state);
    AppendFindings(out, report, state);
  }
  out += "},\n\"tables\":{";
  AppendTables(out, report.tables);
  out += "}}\n";
  return out;
}

}  // namespace rankscope
