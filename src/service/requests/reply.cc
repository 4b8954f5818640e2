#include "service/requests/reply.h"

#include <charconv>

#include "json/writer.h"
#include "service/base/numbers.h"
#include "store/blobs.h"

namespace rankscope::service {
namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src "
    "'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

// "bytes=5-9", "bytes=5-", "bytes=-5"; nullopt for all else, which is then not looked at.
std::optional<std::pair<std::uint64_t, std::uint64_t>> RangeOf(std::string_view text,
                                                               std::uint64_t bytes) {
  if (!text.starts_with("bytes=") || bytes == 0) return std::nullopt;
  text.remove_prefix(6);
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const auto first = number(text.substr(0, dash));
  const auto second = number(text.substr(dash + 1));
  if (dash == 0) {
    if (!second || *second == 0) return std::nullopt;
    const std::uint64_t size = std::min(*second, bytes);
    return std::pair(bytes - size, size);
  }
  if (!first || *first >= bytes) return std::nullopt;
  if (dash + 1 == text.size()) return std::pair(*first, bytes - *first);
  if (!second || *second < *first) return std::nullopt;
  return std::pair(*first, std::min(*second, bytes - 1) - *first + 1);
}

}  // namespace

http::Reply JsonReply(int status, std::string json) {
  http::Reply reply;
  reply.status = status;
  reply.fields = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
  reply.body = std::move(json);
  return reply;
}

http::Reply ErrorReply(int status, std::string_view code, std::string_view sentence) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Key("error").BeginObject().Member("code", code);
  writer.Member("message", sentence).EndObject().EndObject();
  return JsonReply(status, std::move(json));
}

namespace {

http::Reply NotedReply(int status, std::string_view code, std::string_view sentence,
                       std::string note) {
  http::Reply reply = ErrorReply(status, code, sentence);
  reply.note = std::move(note);
  return reply;
}

}  // namespace

http::Reply DamagedReply(const Status& status) {
  if (store::IsAway(status)) return ErrorReply(status);
  return NotedReply(500, "damaged",
                    "what the store keeps of this is damaged or gone: rankscope store check "
                    "--contents names it",
                    std::string(kDamagedNote) + status.message());
}

http::Reply ErrorReply(const Status& status) {
  if (store::IsAway(status)) {
    http::Reply reply = NotedReply(503, "store_away",
                                   "the store of this server's contents does not answer: ask "
                                   "again later",
                                   status.message());
    reply.fields.emplace_back("Retry-After", "10");
    return reply;
  }
  switch (status.code()) {
    case StatusCode::kInvalidArgument:
      return ErrorReply(400, "bad_request", status.message());
    case StatusCode::kNotFound:
      return ErrorReply(404, "not_found", status.message());
    case StatusCode::kBadData:
      return ErrorReply(422, "bad_data", status.message());
    case StatusCode::kResource:
      return NotedReply(507, "no_room", "the server has no room for this", status.message());
    case StatusCode::kIo:
      return NotedReply(503, "unavailable", "the server cannot do this now; its log says why",
                        status.message());
    case StatusCode::kCancelled:
      return ErrorReply(503, "cancelled", status.message());
    default:
      return NotedReply(500, "internal", "the server could not do this; its log says why",
                        status.message());
  }
}

void AddSecurityFields(http::Reply& reply) {
  const auto add = [&reply](std::string_view name, std::string_view value) {
    if (!http::Find(reply.fields, name)) reply.fields.emplace_back(name, value);
  };
  add("Content-Security-Policy", kPolicy);
  add("X-Content-Type-Options", "nosniff");
  add("Referrer-Policy", "no-referrer");
  add("Cross-Origin-Opener-Policy", "same-origin-allow-popups");
  add("Cross-Origin-Resource-Policy", "same-origin");
}

http::Reply ContentReply(const http::Head& head, std::string path, std::uint64_t bytes,
                         std::string_view sha256, std::string_view type) {
  http::Reply reply;
  const std::string tag = fmt::format("\"{}\"", sha256);
  reply.fields = {{"Content-Type", std::string(type)},
                  {"Cache-Control", "private, no-cache"},
                  {"ETag", tag},
                  {"Accept-Ranges", "bytes"}};
  const auto known = http::Find(head.fields, "if-none-match");
  if (known && known->find(tag) != std::string_view::npos) {
    reply.status = 304;
    reply.body = std::string();
    return reply;
  }
  http::FilePart part{.path = std::move(path), .offset = 0, .bytes = bytes, .keep = nullptr};
  if (const auto asked = http::Find(head.fields, "range")) {
    if (const auto range = RangeOf(*asked, bytes)) {
      std::tie(part.offset, part.bytes) = *range;
      reply.status = 206;
      reply.fields.emplace_back("Content-Range", fmt::format("bytes {}-{}/{}", part.offset,
                                                             part.offset + part.bytes - 1, bytes));
    }
  }
  reply.body = std::move(part);
  return reply;
}

}  // namespace rankscope::service
