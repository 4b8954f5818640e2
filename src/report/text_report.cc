#include "report/text_report.h"

#include "report/text_sections.h"
#include "table/style.h"

namespace rankscope {

std::string WriteTextReport(const Report& report, const TextReportOptions& options) {
  std::string out;
  AppendTitle(out, report);
  AppendLayout(out, report);
  AppendStepTime(out, report);
  AppendHeadlines(out, report);
  AppendJobTime(out, report);
  AppendCriticalPath(out, report);
  AppendRanks(out, report);
  AppendPipeline(out, report);
  AppendExperts(out, report);
  AppendAcross(out, report);
  AppendHost(out, report);
  AppendOverRanks(out, report);
  AppendKernels(out, report);
  AppendGraphs(out, report);
  AppendQuality(out, report);
  return Resolve(out, options.colour);
}

}  // namespace rankscope
