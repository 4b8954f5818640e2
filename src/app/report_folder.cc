#include "app/report_folder.h"

#include <algorithm>
#include <filesystem>

#include "analysis/across/analyses.h"
#include "analysis/kernels/analyses.h"
#include "app/write_timeline.h"
#include "base/file.h"
#include "engine/job.h"
#include "insight/replay_tables/path_pieces.h"
#include "report/documents/json_report.h"
#include "report/documents/summary_report.h"
#include "report/html/html_report.h"
#include "report/html/html_tables.h"
#include "schemas/roofline.h"
#include "sql/parquet.h"

namespace rankscope::app {

Status ForEachPart(OpenedJob& opened, const Report& report, const ReportParts& parts) {
  // What has options of the page's own is drawn, and is no table of the report.
  Report summaries = report;
  std::erase_if(summaries.tables, [](const Table& table) {
    return std::ranges::any_of(DrawnTables(), [&](const DrawnTable& drawn) {
      return drawn.is_detail && drawn.name == table.name();
    });
  });
  RS_RETURN_IF_ERROR(parts.text("report.json", WriteJsonReport(summaries)));
  RS_RETURN_IF_ERROR(parts.text("view.json", WriteHtmlView(report)));
  RS_RETURN_IF_ERROR(parts.text("summary.json", WriteSummary(report)));
  sql::ParquetWriter writer;
  for (const Table& table : summaries.tables) {
    RS_RETURN_IF_ERROR(parts.file(table.name() + ".parquet", [&](const std::string& path) {
      return writer.Write(table, path);
    }));
  }
  Job& job = opened.job();
  const auto keep = [&](std::string_view part, const Table& table) {
    return parts.file(std::string(part),
                      [&](const std::string& path) { return writer.Write(table, path); });
  };
  RS_ASSIGN_OR_RETURN(const Table sketches, job.Run({&KernelSketchesAnalysis(), {}}));
  RS_RETURN_IF_ERROR(keep(kSketchesPart, sketches));
  // What a page draws of the roofline is all of it.
  if (const Table* roofline = report.Find(Roofline::kName))
    RS_RETURN_IF_ERROR(keep(kRooflinePart, *roofline));
  RS_ASSIGN_OR_RETURN(const Table members, job.Run({&CollectiveMembersAnalysis(), {}}));
  RS_ASSIGN_OR_RETURN(const Table messages, job.Run({&PointToPointMembersAnalysis(), {}}));
  RS_ASSIGN_OR_RETURN(const Table clocks, job.Run({&ClocksAnalysis(), {}}));
  RS_ASSIGN_OR_RETURN(const Table path, job.Run({&PathPiecesAnalysis(), {}}));
  return parts.file(std::string(kTimelinePart), [&](const std::string& file) {
    return WriteTimeline(job, {members, messages, clocks, path}, file);
  });
}

Status WriteReportFolder(OpenedJob& job, const Report& report, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Error(StatusCode::kIo, "{}: cannot make the folder: {}", folder, error.message());
  return ForEachPart(
      job, report,
      {.text =
           [&](const std::string& name, std::string_view text) {
             return WriteFileAtomically(folder + "/" + name, text);
           },
       .file = [&](const std::string& name,
                   const ReportParts::WriteFile& write) { return write(folder + "/" + name); }});
}

}  // namespace rankscope::app
