#include "service/requests/pages.h"

#include <algorithm>

#include "base/gzip.h"
#include "report/html/html_assets.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

struct Asset {
  std::string path;
  std::string type;
  std::string text;
  std::string packed;
};

Asset MakeAsset(const HtmlAsset& asset, std::string_view ending, std::string type) {
  const std::string hash = store::Sha256Of(asset.text).substr(0, 16);
  return {.path = fmt::format("/assets/app-{}.{}", hash, ending),
          .type = std::move(type),
          .text = std::string(asset.text),
          .packed = PackGzip(asset.text, GzipEffort::kSmall)};
}

const Asset& Script() {
  static const Asset kScript = MakeAsset(AppScript(), "js", "text/javascript; charset=utf-8");
  return kScript;
}

const Asset& Style() {
  static const Asset kStyle = MakeAsset(AppStyle(), "css", "text/css; charset=utf-8");
  return kStyle;
}

std::string MakeDocument(std::string_view perfetto) {
  const std::string meta =
      perfetto.empty() ? "" : fmt::format("<meta name=\"perfetto\" content=\"{}\">\n", perfetto);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n{}<title>rankscope</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<link rel=\"stylesheet\" href=\"{}\">\n<script type=\"module\" src=\"{}\"></script>\n"
      "</head>\n<body>\n<noscript>These pages are drawn with JavaScript. Without it: rankscope "
      "store list, and the API (/api/v1/openapi.json).</noscript>\n</body>\n</html>\n",
      meta, Style().path, Script().path);
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

bool TakesGzip(const http::Head& head) {
  return http::Find(head.fields, "accept-encoding").value_or("").find("gzip") !=
         std::string_view::npos;
}

http::Reply AssetReply(const http::Head& head, const Asset& asset) {
  http::Reply reply;
  reply.fields = {{"Content-Type", asset.type},
                  {"Cache-Control", "public, max-age=31536000, immutable"},
                  {"Vary", "Accept-Encoding"}};
  const bool is_packed = TakesGzip(head);
  if (is_packed) reply.fields.emplace_back("Content-Encoding", "gzip");
  reply.body = is_packed ? asset.packed : asset.text;
  return reply;
}

struct Document {
  std::string text;
  std::string tag;
};

http::Reply DocumentReply(const http::Head& head, const Document& document) {
  http::Reply reply;
  reply.fields = {{"Content-Type", "text/html; charset=utf-8"},
                  {"Cache-Control", "no-cache"},
                  {"ETag", document.tag}};
  if (http::Find(head.fields, "if-none-match") == document.tag) {
    reply.status = 304;
    reply.body = std::string();
  } else {
    reply.body = document.text;
  }
  return reply;
}

std::optional<http::Reply> PageOf(const http::Head& head, const Document& document) {
  for (const Asset* asset : {&Script(), &Style()}) {
    if (head.path == asset->path) return AssetReply(head, *asset);
  }
  const bool is_page = head.path == "/" || head.path == "/runs" || head.path == "/compare" ||
                       head.path == "/hosts" || head.path == "/fleet" ||
                       head.path.starts_with("/runs/") || head.path.starts_with("/explain/") ||
                       head.path.starts_with("/s/");
  if (is_page) return DocumentReply(head, document);
  // People who mistyped an address get the app, which says so; programs get the API's answer.
  const std::string_view accepted = http::Find(head.fields, "accept").value_or("");
  if (head.path.starts_with("/api/") || accepted.find("text/html") == std::string_view::npos)
    return std::nullopt;
  http::Reply reply;
  reply.status = 404;
  reply.fields = {{"Content-Type", "text/html; charset=utf-8"}, {"Cache-Control", "no-cache"}};
  reply.body = document.text;
  return reply;
}

}  // namespace

Status CheckPerfettoAddress(std::string_view url) {
  const bool has_scheme = url.starts_with("https://") || url.starts_with("http://");
  // It stands in an attribute of the document.
  const bool is_plain = std::ranges::all_of(url, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~:/[]%").find(c) != std::string_view::npos;
  });
  if (url.empty() || (has_scheme && is_plain)) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "--perfetto takes the address of a page, such as https://ui.perfetto.dev, not '{}'",
               url);
}

std::string ProblemPage(std::string_view title, std::string_view sentence) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{0}</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"{1}\">\n</head>\n"
      "<body>\n<main class=\"runs\">\n<h1>{0}</h1>\n<p class=\"wrong\" role=\"alert\">{2}</p>\n"
      "<p><a href=\"/\">Back to rankscope</a></p>\n</main>\n</body>\n</html>\n",
      Escaped(title), Style().path, Escaped(sentence));
}

std::function<std::optional<http::Reply>(const http::Head&)> MakePages(std::string_view perfetto) {
  Document document{.text = MakeDocument(perfetto), .tag = {}};
  document.tag = "\"" + store::Sha256Of(document.text).substr(0, 16) + "\"";
  return [document](const http::Head& head) { return PageOf(head, document); };
}

}  // namespace rankscope::service
