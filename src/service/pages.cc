#include "service/pages.h"

#include <zlib.h>

#include "report/html_assets.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

// Packed as gzip; "" when that fails, which leaves the text as it is.
std::string Packed(std::string_view text) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    return "";
  std::string packed(deflateBound(&stream, text.size()), '\0');
  // zlib only reads it.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool is_whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return is_whole ? packed : "";
}

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
          .packed = Packed(asset.text)};
}

const Asset& Script() {
  static const Asset kScript = MakeAsset(AppScript(), "js", "text/javascript; charset=utf-8");
  return kScript;
}

const Asset& Style() {
  static const Asset kStyle = MakeAsset(AppStyle(), "css", "text/css; charset=utf-8");
  return kStyle;
}

const std::string& Document() {
  static const std::string kDocument = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>rankscope</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<link rel=\"stylesheet\" href=\"{}\">\n<script type=\"module\" src=\"{}\"></script>\n"
      "</head>\n<body>\n<noscript>These pages are drawn with JavaScript. Without it: rankscope "
      "store list, and the API (/api/v1/openapi.json).</noscript>\n</body>\n</html>\n",
      Style().path, Script().path);
  return kDocument;
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
  const bool is_packed = TakesGzip(head) && !asset.packed.empty();
  if (is_packed) reply.fields.emplace_back("Content-Encoding", "gzip");
  reply.body = is_packed ? asset.packed : asset.text;
  return reply;
}

http::Reply DocumentReply(const http::Head& head) {
  static const std::string kTag = "\"" + store::Sha256Of(Document()).substr(0, 16) + "\"";
  http::Reply reply;
  reply.fields = {
      {"Content-Type", "text/html; charset=utf-8"}, {"Cache-Control", "no-cache"}, {"ETag", kTag}};
  if (http::Find(head.fields, "if-none-match") == kTag) {
    reply.status = 304;
    reply.body = std::string();
  } else {
    reply.body = Document();
  }
  return reply;
}

}  // namespace

std::optional<http::Reply> PageOf(const http::Head& head) {
  for (const Asset* asset : {&Script(), &Style()}) {
    if (head.path == asset->path) return AssetReply(head, *asset);
  }
  const bool is_page = head.path == "/" || head.path == "/runs" || head.path == "/compare" ||
                       head.path.starts_with("/runs/") || head.path.starts_with("/s/");
  if (is_page) return DocumentReply(head);
  return std::nullopt;
}

}  // namespace rankscope::service
