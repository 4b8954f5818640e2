// The protocol over HTTP ("streamable HTTP"), without sessions: each request is answered for
// itself, as JSON.
#pragma once

#include <string>
#include <string_view>

#include "mcp/session_options.h"
#include "mcp/source.h"

namespace rankscope::mcp {

struct HttpAnswer {
  int status = 200;  // 202 with an empty body when nothing is to be answered
  std::string body;
};

// What a POST with `body` is answered. `version` is its field MCP-Protocol-Version; "" is a client
// of before that field. Blocks while the source works.
HttpAnswer AnswerHttp(Source& source, std::string_view body, std::string_view version,
                      SessionOptions options);

}  // namespace rankscope::mcp
