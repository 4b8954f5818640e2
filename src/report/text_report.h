// The report for a terminal: 80 columns, what matters first.
#pragma once

#include <string>

#include "report/report.h"

namespace rankscope {

struct TextReportOptions {
  bool colour = false;  // for terminals that have it (table/style.h)
};

std::string WriteTextReport(const Report& report, const TextReportOptions& options = {});

}  // namespace rankscope
