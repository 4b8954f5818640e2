// A job's report as a folder: what a store keeps of it, and what other programs read.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/open_job.h"
#include "base/status.h"
#include "report/report.h"

namespace rankscope::app {

// The parts: "report.json" (as --format json), "view.json" (what the HTML report draws),
// "summary.json" (summary_report.h), "NAME.parquet" of every table with default options,
// "timeline" (write_timeline.h), and what rankscope fleet asks for. Each is handed on as a text, or
// as what writes it to a file; an error ends it.
struct ReportParts {
  using WriteFile = std::function<Status(const std::string& path)>;
  std::function<Status(const std::string& name, std::string_view text)> text;
  std::function<Status(const std::string& name, const WriteFile& write)> file;
};
inline constexpr std::string_view kTimelinePart = "timeline";
// Tables as Parquet that no report shows, for questions over many runs: the tables of these names.
inline constexpr std::string_view kSketchesPart = "kernel_sketches";
inline constexpr std::string_view kRooflinePart = "roofline";
// `report` is of this job, for pages (ReportUse::kPage).
Status ForEachPart(OpenedJob& job, const Report& report, const ReportParts& parts);

// Writes them to `folder`, which is made.
Status WriteReportFolder(OpenedJob& job, const Report& report, const std::string& folder);

}  // namespace rankscope::app
