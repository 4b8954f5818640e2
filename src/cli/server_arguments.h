// How commands reach a server: --server, --token-file, --tls-ca, --tls-cert and --tls-key.
#pragma once

#include <string>

#include "base/status.h"
#include "client/server.h"
#include "contract/command.h"

namespace rankscope::cli {

class ServerArguments {
 public:
  void AddTo(CommandSpec& app);
  Result<client::Server> Connect() const;

 private:
  client::ServerAccess access_;
  std::string token_file_;
};

// The word in a file, or in an environment variable: a token is not on the command line, which
// others can see.
Result<std::string> ReadToken(const std::string& path, const char* variable);

}  // namespace rankscope::cli
