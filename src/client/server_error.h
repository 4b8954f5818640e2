// Error replies of a server as a Status.
#pragma once

#include <string>

#include "base/status.h"
#include "http/client.h"

namespace rankscope::client {

// For a reply with a status of 300 or more: the message in its body. 404 is kNotFound, 5xx kIo, all
// others kInvalidArgument.
Status ErrorOf(const http::ClientReply& reply);

// kBadData: the received bytes of a file differ from those that were hashed.
Status OtherBytes(const std::string& path);

}  // namespace rankscope::client
