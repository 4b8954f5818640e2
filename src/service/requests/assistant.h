// Assistant: answers the messages of a coding assistant. Another folder implements the protocol
// (mcp/); the code that starts the service provides it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/client.h"

namespace rankscope::service {

struct AssistantCall {
  std::shared_ptr<http::Client> api;  // this server's API, with the rights of who asks
  std::string address;                // by which who asks reached it
  std::string run;                    // its id; "": the newest that is ready
  std::string_view body;
  std::string_view version;  // of the protocol, as the request states it; "" where it does not
};

struct AssistantAnswer {
  int status = 200;
  std::string body;  // JSON
};

// Blocks. Safe for many threads.
using Assistant = std::function<AssistantAnswer(AssistantCall call)>;

}  // namespace rankscope::service
