// Page: a text that another program of the host serves over HTTP, read repeatedly.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "http/client.h"

namespace rankscope::agent {

struct PageAddress {
  http::Address server;
  std::string target;  // "/metrics"
};
// "http://127.0.0.1:9400/metrics"; "/metrics" when there is no path.
Result<PageAddress> ParsePage(std::string_view text);

// Not thread-safe, except Abort.
class Page {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  explicit Page(const PageAddress& address);
  // Waits up to 5 s each for the connection and the reply. kIo if it cannot be read, kResource if
  // it is longer than kMostBytes.
  Result<std::string> Get();
  // Ends the wait of Get and all later ones. From any thread.
  void Abort() { client_->Abort(); }

 private:
  const PageAddress address_;
  const std::unique_ptr<http::Client> client_;
};

}  // namespace rankscope::agent
