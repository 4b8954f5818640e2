// What `analyze` says of a job: all summaries of it, and whether they hold what fails a build.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"
#include "report/report.h"

namespace rankscope::app {

struct JobReport {
  std::unique_ptr<OpenedJob> job;
  Report report;
};

// kPage has what pages draw beside the summaries: a bounded part of the details.
enum class ReportUse : std::uint8_t { kText, kPage };
// kNotFound where no recording has a step of those that were chosen.
Result<JobReport> ReportOf(const JobSpec& spec, ReportUse use, Listener& listener);
// Of a job that is open already.
Result<Report> ReportOf(OpenedJob& job, ReportUse use, Listener& listener);

// A gate is high, medium, low or a finding's id. A usage error for anything else.
Status CheckGate(std::string_view gate);
// The sentence that says what hits the gate: such a finding, or a worse one. None where nothing
// does. An error where it cannot be decided, so that no job passes unchecked.
Result<std::optional<std::string>> GateHit(std::string_view gate, const Report& report);

}  // namespace rankscope::app
