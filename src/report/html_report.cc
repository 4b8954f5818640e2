#include "report/html_report.h"

#include <fmt/core.h>

#include "report/html_assets.h"
#include "report/html_data.h"

namespace rankscope {
namespace {

// Only the two scripts and the two style sheets below may run, by their hashes: whatever a trace
// holds stays data, and the page can reach nothing outside of itself.
std::string Policy() {
  return fmt::format(
      "default-src 'none'; script-src 'sha256-{}' 'sha256-{}'; style-src 'sha256-{}' 'sha256-{}'; "
      "base-uri 'none'; form-action 'none'",
      PlotScript().sha256, PageScript().sha256, PlotStyle().sha256, PageStyle().sha256);
}

void AppendElement(std::string& out, std::string_view open, std::string_view text,
                   std::string_view close) {
  out += open;
  out += text;
  out += close;
}

}  // namespace

std::string WriteHtmlReport(const Report& report) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"";
  out += Policy();
  out +=
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>rankscope report</title>\n";
  AppendElement(out, "<style>", PlotStyle().text, "</style>\n");
  AppendElement(out, "<style>", PageStyle().text, "</style>\n");
  out +=
      "</head>\n<body>\n<noscript>This report draws its tables with JavaScript. Without it: "
      "rankscope analyze PATH writes the report as text.</noscript>\n";
  AppendElement(out, "<script>", PlotScript().text, "</script>\n");
  out += "<script type=\"application/json\" id=\"data\">";
  AppendHtmlData(out, report);
  out += "</script>\n";
  AppendElement(out, "<script>", PageScript().text, "</script>\n");
  out += "</body>\n</html>\n";
  return out;
}

}  // namespace rankscope
