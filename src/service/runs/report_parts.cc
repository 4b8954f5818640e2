#include "service/runs/report_parts.h"

#include <algorithm>

#include "json/fields.h"
#include "service/requests/page.h"

namespace rankscope::service {

Result<const store::RunReport*> ReportOf(const store::Run& run, const Call& call) {
  if (run.reports.empty()) {
    return Error(StatusCode::kNotFound, "run {} has no report yet: it is {}", run.id,
                 store::ToString(run.state));
  }
  const std::string_view text = call.Query("version");
  if (text.empty()) return &run.reports.back();
  const auto version = ParseInteger(text);
  const auto found =
      std::ranges::find(run.reports, version.value_or(-1), &store::RunReport::version);
  if (found == run.reports.end()) {
    return Error(StatusCode::kNotFound, "run {} has the versions {} to {} of its report, not '{}'",
                 run.id, run.reports.front().version, run.reports.back().version, text);
  }
  return &*found;
}

const store::RunTable* FindPart(const store::RunReport& report, std::string_view name) {
  const auto found = std::ranges::find(report.tables, name, &store::RunTable::name);
  return found == report.tables.end() ? nullptr : &*found;
}

api::RunSummary SummaryOf(const store::RunReport& report) {
  Result<api::RunSummary> summary = json::FromJson<api::RunSummary>(report.summary);
  return summary.ok() ? *std::move(summary) : api::RunSummary();
}

std::optional<api::RunSummary> SummaryOf(const store::Run& run) {
  if (run.reports.empty()) return std::nullopt;
  return SummaryOf(run.reports.back());
}

bool IsOfServing(const store::RunReport& report) {
  return SummaryOf(report).subject == api::kServingSubject;
}

}  // namespace rankscope::service
