// The report for a terminal: 80 columns, what matters first. Findings come first and in full; what
// follows them has 25 lines, or all sections when the reader asks for them. Where no rule ran,
// there are all sections.
#pragma once

#include <string>

#include "report/report.h"

namespace rankscope {

struct TextReportOptions {
  bool colour = false;  // for terminals that have it (table/style.h)
  bool full = false;    // all sections
};

std::string WriteTextReport(const Report& report, const TextReportOptions& options = {});

}  // namespace rankscope
