// What a server says is wrong, as an error.
#pragma once

#include <string>

#include "base/status.h"
#include "http/client.h"

namespace rankscope::client {

// Of a reply with a status of 300 or more: the sentence in its body. 404 is kNotFound, 5xx kIo, all
// else kInvalidArgument.
Status ErrorOf(const http::ClientReply& reply);

// What has arrived of a file is not what it held when it was hashed: kBadData.
Status OtherBytes(const std::string& path);

}  // namespace rankscope::client
