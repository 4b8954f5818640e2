// Parses the address on which a server listens.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "http/server.h"

namespace rankscope::cli {

// "127.0.0.1:8723", "[::1]:0", "0.0.0.0:80" to host and port. Messages use the name `option`.
Status ParseListen(const std::string& text, std::string_view option, http::ServerOptions& options);

}  // namespace rankscope::cli
