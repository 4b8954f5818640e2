// The protocol over HTTP ("streamable HTTP"), without sessions: each request is answered
// independently, as JSON.
#pragma once

#include <string>
#include <string_view>

#include "mcp/session_options.h"
#include "mcp/source.h"

namespace rankscope::mcp {

struct HttpAnswer {
  int status = 200;  // 202 with an empty body if no answer is needed
  std::string body;
};

// The answer to a POST with `body`. `version` is its field MCP-Protocol-Version; "" means a client
// from before that field existed. Blocks while the source works.
HttpAnswer AnswerHttp(Source& source, std::string_view body, std::string_view version,
                      SessionOptions options);

}  // namespace rankscope::mcp
