// The report as one HTML file that needs nothing else: no network, no server. It holds those tables
// that it draws; a content security policy keeps everything out that the program did not write.
#pragma once

#include <string>

#include "report/report.h"

namespace rankscope {

std::string WriteHtmlReport(const Report& report);

// What that page draws, as JSON (html_data.h): for pages that fetch it.
std::string WriteHtmlView(const Report& report);

}  // namespace rankscope
