// A job's report as a folder, for stores and other programs.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/open_job.h"
#include "base/status.h"
#include "report/base/report.h"

namespace rankscope::app {

// The parts: "report.json" (as --format json), "view.json" (what the HTML report draws),
// "summary.json" (summary_report.h), "NAME.parquet" of every table with default options, "timeline"
// (write_timeline.h), and the parts for rankscope fleet. Each is passed on as a text, or as a
// function that writes it to a file; an error ends it.
struct ReportParts {
  using WriteFile = std::function<Status(const std::string& path)>;
  std::function<Status(const std::string& name, std::string_view text)> text;
  std::function<Status(const std::string& name, const WriteFile& write)> file;
};
inline constexpr std::string_view kTimelinePart = "timeline";
// Tables as Parquet that are in no report, for queries over many runs: the tables of these names.
inline constexpr std::string_view kSketchesPart = "kernel_sketches";
inline constexpr std::string_view kRooflinePart = "roofline";
// `report` is of this job, for pages (ReportUse::kPage).
Status ForEachPart(OpenedJob& job, const Report& report, const ReportParts& parts);

// Writes them to `folder`, which is created.
Status WriteReportFolder(OpenedJob& job, const Report& report, const std::string& folder);

}  // namespace rankscope::app
