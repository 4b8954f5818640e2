// A client of a handler in this process, without a connection.
#pragma once

#include <cstdint>
#include <memory>

#include "http/client.h"
#include "http/message.h"

namespace rankscope::http {

// The identity and address of the caller.
struct HandlerCaller {
  Fields fields;  // of every request; names in small letters
  std::string peer;
  bool is_secure = false;
  std::optional<ClientIdentity> client;
  std::uint64_t most_reply = std::uint64_t{256} << 20;  // kResource for a longer one
};

// Sends requests with a text, not with a file. Endless replies (Stream) are kInvalidArgument.
// Blocks until the reply is there; do not call it on a thread of the handler. The handler outlives
// it.
std::unique_ptr<Client> MakeHandlerClient(Handler& handler, HandlerCaller caller);

}  // namespace rankscope::http
