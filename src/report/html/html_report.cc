#include "report/html/html_report.h"

#include "report/html/html_data.h"
#include "report/html/html_page.h"

namespace rankscope {

std::string WriteHtmlView(const Report& report) {
  std::string data;
  AppendHtmlData(data, report);
  return data;
}

std::string WriteHtmlReport(const Report& report) {
  return WriteHtmlPage({.title = "rankscope report",
                        .without_script =
                            "This report draws its tables with JavaScript. Without it: rankscope "
                            "analyze PATH writes the report as text.",
                        .style = &ReportStyle(),
                        .data = WriteHtmlView(report),
                        .script = &ReportScript()});
}

}  // namespace rankscope
