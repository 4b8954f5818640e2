// The use case of `analyze`: all summaries of a job, and the gate for builds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"
#include "report/base/report.h"

namespace rankscope::app {

struct JobReport {
  std::unique_ptr<OpenedJob> job;
  Report report;
};

// kPage adds the data drawn by pages: a limited part of the details.
enum class ReportUse : std::uint8_t { kText, kPage };
// kNotFound if no recording has any of the selected steps.
Result<JobReport> ReportOf(const JobSpec& spec, ReportUse use, Listener& listener);
// The same for an open job.
Result<Report> ReportOf(OpenedJob& job, ReportUse use, Listener& listener);

// A gate is high, medium, low or a finding's id. A usage error for anything else.
Status CheckGate(std::string_view gate);
// The sentence about the finding that hits the gate (that finding or severity, or a worse one);
// nullopt if none does. An error if it cannot be decided, so no job passes unchecked.
Result<std::optional<std::string>> GateHit(std::string_view gate, const Report& report);

}  // namespace rankscope::app
