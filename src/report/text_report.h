// The report for a terminal: 80 columns, what matters first.
#pragma once

#include <string>

#include "report/report.h"

namespace rankscope {

std::string WriteTextReport(const Report& report);

}  // namespace rankscope
