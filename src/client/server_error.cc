#include "client/server_error.h"

#include <simdjson.h>

#include <string_view>

namespace rankscope::client {

Status ErrorOf(const http::ClientReply& reply) {
  simdjson::dom::parser parser;
  std::string_view message;
  if (parser.parse(reply.body)["error"]["message"].get(message)) message = "it gave no reason";
  const StatusCode code = reply.status == 404   ? StatusCode::kNotFound
                          : reply.status >= 500 ? StatusCode::kIo
                                                : StatusCode::kInvalidArgument;
  return Error(code, "the server refuses ({}): {}", reply.status, message);
}

}  // namespace rankscope::client
