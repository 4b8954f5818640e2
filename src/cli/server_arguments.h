// How commands reach a server: --server, --token-file, --tls-ca, --tls-cert and --tls-key.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "client/server.h"
#include "contract/command.h"

namespace rankscope::cli {

class ServerArguments {
 public:
  // --server is required, or what else there is does without.
  enum class Need : std::uint8_t { kAlways, kMaybe };
  void AddTo(CommandSpec& app, Need need = Need::kAlways);
  bool is_given() const { return !access_.url.empty(); }
  // `time`: for a reply.
  Result<client::Server> Connect(std::chrono::seconds time = std::chrono::seconds(60)) const;

 private:
  client::ServerAccess access_;
  std::string token_file_;
};

// The word in a file, or in an environment variable: a token is not on the command line, which
// others can see.
Result<std::string> ReadToken(const std::string& path, const char* variable);

}  // namespace rankscope::cli
