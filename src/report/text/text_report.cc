#include "report/text/text_report.h"

#include "report/text/first_screen.h"
#include "report/text/sections.h"
#include "report/words/finding_words.h"
#include "table/style.h"

namespace rankscope {

namespace {

void AppendAllSections(std::string& out, const Report& report) {
  AppendContributions(out, report);
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
  AppendSnoop(out, report);
  AppendQuality(out, report);
}

}  // namespace

std::string WriteTextReport(const Report& report, const TextReportOptions& options) {
  if (!options.full && HasFindings(report)) return Resolve(FirstScreen(report), options.colour);
  std::string out;
  AppendVerdict(out, report);
  AppendTitle(out, report);
  AppendRecording(out, report);
  AppendFindings(out, report);
  AppendAllSections(out, report);
  return Resolve(out, options.colour);
}

}  // namespace rankscope
