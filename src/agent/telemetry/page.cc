#include "agent/telemetry/page.h"

namespace rankscope::agent {

Result<PageAddress> ParsePage(std::string_view text) {
  const std::size_t scheme = text.find("://");
  const std::size_t path =
      scheme == std::string_view::npos ? std::string_view::npos : text.find('/', scheme + 3);
  PageAddress address;
  RS_ASSIGN_OR_RETURN(address.server, http::ParseAddress(text.substr(0, path)));
  address.target = path == std::string_view::npos ? "/metrics" : std::string(text.substr(path));
  if (address.target.find_first_of(" \t\r\n") != std::string::npos)
    return Error(StatusCode::kInvalidArgument, "'{}': a path has no blanks", text);
  return address;
}

Page::Page(const PageAddress& address)
    : address_(address),
      client_(http::MakeClient(address.server,
                               {.ca_file = "", .fields = {}, .time = std::chrono::seconds(5)})) {}

Result<std::string> Page::Get() {
  Result<http::ClientReply> reply =
      client_->Send({.method = "GET", .target = address_.target, .fields = {}, .text = ""});
  if (!reply.ok()) return reply.status();
  const std::string where = address_.server.Text() + address_.target;
  if (reply->status != 200) return Error(StatusCode::kIo, "{} answers {}", where, reply->status);
  if (reply->body.size() > kMostBytes)
    return Error(StatusCode::kResource, "{}: more than {} bytes", where, kMostBytes);
  return std::move(reply->body);
}

}  // namespace rankscope::agent
