// The report for a terminal: 80 columns, most important first. Findings come first and in full; the
// rest has 25 lines, or all sections on request. If no rule ran, all sections are shown.
#pragma once

#include <string>

#include "report/base/report.h"

namespace rankscope {

struct TextReportOptions {
  bool colour = false;  // for terminals that have it (table/style.h)
  bool full = false;    // all sections
};

std::string WriteTextReport(const Report& report, const TextReportOptions& options = {});

}  // namespace rankscope
