#include "app/report_of.h"

#include "app/describe_job.h"
#include "app/report_requests.h"
#include "catalog/findings.h"
#include "insight/gate.h"
#include "report/base/no_event.h"
#include "report/base/table_view.h"
#include "schemas/captures.h"
#include "schemas/findings.h"
#include "schemas/steps.h"

namespace rankscope::app {

namespace {

bool HasNoEvent(const Report& report) {
  const RowsOf<Captures> captures(report);
  for (std::size_t row = 0; row < captures.rows(); ++row) {
    if (captures.Int(row, captures->events).value_or(0) > 0) return false;
  }
  return !captures.empty();
}

std::string WhyNoEvent(const Report& report) {
  const RowsOf<DataQuality> quality(report);
  if (quality.empty()) return "there is nothing to analyse";
  return fmt::format("{}: {}", quality.String(0, quality->file),
                     quality.String(0, quality->message));
}

std::vector<TableRequest> RequestsFor(ReportUse use) {
  return use == ReportUse::kPage ? DrawnRequests() : SummaryRequests();
}

}  // namespace

Result<JobReport> ReportOf(const JobSpec& spec, ReportUse use, Listener& listener) {
  JobReport made;
  RS_ASSIGN_OR_RETURN(made.job, OpenJob(spec, RequestsFor(use), listener));
  RS_ASSIGN_OR_RETURN(made.report, ReportOf(*made.job, use, listener));
  return made;
}

Result<Report> ReportOf(OpenedJob& job, ReportUse use, Listener& listener) {
  Report report = DescribeJob(job.job(), job.called());
  RS_ASSIGN_OR_RETURN(report.tables, job.RunAll(RequestsFor(use)));
  job.TellLeftOut(listener);
  if (HasNoEvent(report))
    return Error(StatusCode::kNotFound, "{}: {}", kNoEvent, WhyNoEvent(report));
  if (job.has_chosen_steps() && RowsOf<StepTimes>(report).empty()) return NoSuchSteps();
  return report;
}

Status CheckGate(std::string_view gate) {
  const FindingEntry* const finding = catalog::FindFinding(gate);
  if (finding != nullptr && finding->subject != Subject::kJob) {
    return Error(StatusCode::kInvalidArgument,
                 "--fail-on {}: that is looked for in {}, not in the traces of a job", gate,
                 finding->seen_in);
  }
  return rankscope::CheckGate(gate);
}

Result<std::optional<std::string>> GateHit(std::string_view gate, const Report& report) {
  const Table* const findings = report.Find(Findings::kName);
  // A gate on a cause that nothing looks for would always be open: better to say so than to let a
  // job pass unchecked.
  if (findings == nullptr) {
    return Error(StatusCode::kNotFound,
                 "--fail-on {} cannot be decided: this version has no rule for any finding", gate);
  }
  return rankscope::GateHit(gate, *findings, report.Find(NotEvaluated::kName));
}

}  // namespace rankscope::app
