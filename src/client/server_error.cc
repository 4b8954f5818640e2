#include "client/server_error.h"

#include "json/reader.h"

namespace rankscope::client {

Status ErrorOf(const http::ClientReply& reply) {
  constexpr std::string_view kNone = "it gave no reason";
  const auto answer = json::Reader::Parse(reply.body);
  const std::string message =
      answer.ok() ? answer->root()["error"]["message"].TextOr(kNone) : std::string(kNone);
  const StatusCode code = reply.status == 404   ? StatusCode::kNotFound
                          : reply.status >= 500 ? StatusCode::kIo
                                                : StatusCode::kInvalidArgument;
  return Error(code, "the server refuses ({}): {}", reply.status, message);
}

Status OtherBytes(const std::string& path) {
  return Error(StatusCode::kBadData,
               "{}: the server has other bytes than were sent; it may have changed meanwhile: push "
               "again",
               path);
}

}  // namespace rankscope::client
