// HTTP requests by libcurl, which is loaded when the first transport is made.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "fetch/transport.h"

namespace rankscope::fetch {

struct CurlOptions {
  std::string ca_file;           // certificate authorities, PEM; "": the system's
  long connect_ms = 10'000;      // only for the connection
  long least_bytes_per_s = 512;  // a request is aborted if it is slower than this ...
  long slow_s = 30;              // ... for this long
};

// Certificates are verified. Redirects are not followed, since keys would be sent to their target.
// Bodies have no time limit. Connections are kept and reused, as many as there are concurrent
// requests. kResource if libcurl is missing.
Result<std::unique_ptr<Transport>> MakeCurlTransport(CurlOptions options);

}  // namespace rankscope::fetch
