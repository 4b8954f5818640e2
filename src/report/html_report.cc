#include "report/html_report.h"

#include <utility>

#include "report/html_data.h"
#include "report/html_page.h"

namespace rankscope {

std::string WriteHtmlReport(const Report& report) {
  std::string data;
  AppendHtmlData(data, report);
  return WriteHtmlPage({.title = "rankscope report",
                        .without_script =
                            "This report draws its tables with JavaScript. Without it: rankscope "
                            "analyze PATH writes the report as text.",
                        .style = &ReportStyle(),
                        .data = std::move(data),
                        .script = &ReportScript()});
}

}  // namespace rankscope
