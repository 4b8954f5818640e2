#include "agent/local_pages.h"

#include <algorithm>
#include <utility>

#include "json/writer.h"

namespace rankscope::agent {

http::Reply TextReply(int status, std::string_view type, std::string text) {
  http::Reply reply;
  reply.status = status;
  reply.fields = {{"Content-Type", std::string(type)}, {"Cache-Control", "no-store"}};
  reply.body = std::move(text);
  return reply;
}

http::Reply JsonReply(std::string json, int status) {
  return TextReply(status, "application/json", std::move(json));
}

http::Reply RefusedReply(int status, std::string_view sentence) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Key("error").BeginObject().Member("code", "refused");
  writer.Member("message", sentence).EndObject().EndObject();
  return JsonReply(std::move(json), status);
}

std::variant<http::Reply, std::unique_ptr<http::Exchange>> LocalPages::Begin(
    const http::Head& head) {
  if (head.method != "GET" && head.method != "HEAD")
    return RefusedReply(405, "only GET is answered here");
  const auto page = std::ranges::find(pages_, head.path, &LocalPage::path);
  if (page != pages_.end()) return page->answer(head.query);
  std::string names;
  for (std::size_t at = 0; at < pages_.size(); ++at) {
    names += at == 0 ? "" : at + 1 == pages_.size() ? " and " : ", ";
    names += pages_[at].path;
  }
  return RefusedReply(404, "there is " + names);
}

}  // namespace rankscope::agent
