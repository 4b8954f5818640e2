// A client of a handler in this process: what a request is answered, without a connection.
#pragma once

#include <cstdint>
#include <memory>

#include "http/client.h"
#include "http/message.h"

namespace rankscope::http {

// As whom and from where the handler is asked.
struct HandlerCaller {
  Fields fields;  // of every request; names in small letters
  std::string peer;
  bool is_secure = false;
  std::optional<ClientIdentity> client;
  std::uint64_t most_reply = std::uint64_t{256} << 20;  // kResource for a longer one
};

// Sends requests with a text, not with a file. What comes without an end (Stream) is
// kInvalidArgument. Blocks until the reply is there, on a thread that is none of the handler's own.
// The handler outlives it.
std::unique_ptr<Client> MakeHandlerClient(Handler& handler, HandlerCaller caller);

}  // namespace rankscope::http
