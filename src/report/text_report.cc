#include "report/text_report.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "report/finding_words.h"
#include "report/text_sections.h"
#include "table/style.h"

namespace rankscope {

namespace {

// Behind the findings.
constexpr std::ptrdiff_t kMostLinesOfFirstScreen = 25;
constexpr std::string_view kHint =
    "\nAll sections: --full. A page with plots: --format html -o report.html\n";

std::ptrdiff_t Lines(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

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
  AppendQuality(out, report);
}

// The sections that fit, in the order in which they are shown; the rest is in --full.
void AppendFirstScreen(std::string& out, const Report& report) {
  std::string screen;
  for (const auto append :
       {AppendStepTime, AppendLargestParts, AppendUnknownKernels, AppendQualityCount}) {
    std::string section;
    append(section, report);
    if (Lines(screen) + Lines(section) + Lines(kHint) <= kMostLinesOfFirstScreen) screen += section;
  }
  out += screen;
  out += kHint;
}

}  // namespace

std::string WriteTextReport(const Report& report, const TextReportOptions& options) {
  std::string out;
  AppendTitle(out, report);
  AppendRecording(out, report);
  AppendFindings(out, report, options.full);
  if (options.full || !HasFindings(report)) {
    AppendAllSections(out, report);
  } else {
    AppendFirstScreen(out, report);
  }
  return Resolve(out, options.colour);
}

}  // namespace rankscope
