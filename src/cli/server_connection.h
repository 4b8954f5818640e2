// How commands reach a server: --server, --token-file, --tls-ca, --tls-cert and --tls-key.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "contract/command.h"
#include "http/client.h"

namespace rankscope::cli {

class ServerArguments {
 public:
  void AddTo(CommandSpec& app);
  // A client of it; `url` is as servers print it from then on.
  Result<std::unique_ptr<http::Client>> Connect();
  const std::string& url() const { return url_; }

 private:
  std::string url_;
  std::string token_file_;
  std::string ca_file_;
  std::string certificate_file_;
  std::string key_file_;
};

// The word in a file, or in an environment variable (none without a name): a token is not on the
// command line, which others can see.
Result<std::string> ReadToken(const std::string& path, const char* variable);

// What the server says is wrong, as an error.
Status ErrorOf(const http::ClientReply& reply);

}  // namespace rankscope::cli
