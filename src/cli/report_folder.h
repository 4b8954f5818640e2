// A job's report as a folder: what a store keeps of it, and what other programs read.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "engine/job.h"
#include "report/report.h"

namespace rankscope::cli {

// All summaries, and the bounded details that pages draw.
Result<std::vector<Request>> DrawnRequests();

// The parts: "report.json" (as --format json), "view.json" (what the HTML report draws),
// "summary.json" (summary_report.h), and "NAME.parquet" of every table with default options. Each
// is handed on as a file or as a text; an error ends it.
struct ReportParts {
  std::function<Status(const std::string& name, std::string_view text)> text;
  std::function<Status(const std::string& name, const Table& table)> table;
};
Status ForEachPart(const Report& report, const ReportParts& parts);

// Writes them to `folder`, which is made.
Status WriteReportFolder(const Report& report, const std::string& folder);

}  // namespace rankscope::cli
