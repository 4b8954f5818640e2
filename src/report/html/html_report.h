// The report as one self-contained HTML file, without network or server. It contains the tables
// that it draws; a content security policy blocks everything that the program did not write.
#pragma once

#include <string>

#include "report/base/report.h"

namespace rankscope {

std::string WriteHtmlReport(const Report& report);

// The data of that page, as JSON (html_data.h), for pages that fetch it.
std::string WriteHtmlView(const Report& report);

}  // namespace rankscope
