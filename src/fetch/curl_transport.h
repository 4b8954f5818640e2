// Requests by libcurl, which is loaded when the first transport is made.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "fetch/transport.h"

namespace rankscope::fetch {

struct CurlOptions {
  std::string ca_file;           // authorities of certificates, PEM; "": the system's
  long connect_ms = 10'000;      // for the connection alone
  long least_bytes_per_s = 512;  // slower than that ...
  long slow_s = 30;              // ... for so long, and the request is given up
};

// Certificates are checked, redirects are not followed (keys would go where they lead), bodies have
// no limit of time. Connections are kept and used again, as many as there are requests at once.
// kResource where libcurl is missing.
Result<std::unique_ptr<Transport>> MakeCurlTransport(CurlOptions options);

}  // namespace rankscope::fetch
