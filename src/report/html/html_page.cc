#include "report/html/html_page.h"

#include <fmt/core.h>

#include "base/base64.h"
#include "base/gzip.h"

namespace rankscope {
namespace {

// Only the page's own scripts and style sheets may run, by their hashes: whatever a trace holds
// stays data, and the page can reach nothing outside of itself.
std::string Policy(const HtmlPage& page) {
  return fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; "
      "form-action 'none'",
      page.script->sha256, page.style->sha256);
}

void AppendElement(std::string& out, std::string_view open, std::string_view text,
                   std::string_view close) {
  out += open;
  out += text;
  out += close;
}

void AppendData(std::string& out, const std::string& json) {
  constexpr std::size_t kPackedFrom = std::size_t{64} << 10;
  if (json.size() < kPackedFrom) {
    AppendElement(out, "<script type=\"application/json\" id=\"data\">", json, "</script>\n");
  } else {
    AppendElement(out, "<script type=\"application/gzip\" id=\"data\">",
                  ToBase64(PackGzip(json, GzipEffort::kSmall)), "</script>\n");
  }
}

}  // namespace

std::string WriteHtmlPage(const HtmlPage& page) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"";
  out += Policy(page);
  out +=
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  AppendElement(out, "<title>", page.title, "</title>\n");
  AppendElement(out, "<style>", page.style->text, "</style>\n");
  AppendElement(out, "</head>\n<body>\n<noscript>", page.without_script, "</noscript>\n");
  AppendData(out, page.data);
  AppendElement(out, "<script>", page.script->text, "</script>\n");
  out += "</body>\n</html>\n";
  return out;
}

}  // namespace rankscope
