// Options by which commands reach a server: --server, --token-file, --tls-ca, --tls-cert,
// --tls-key.
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
  // Whether --server is required, or optional.
  enum class Need : std::uint8_t { kAlways, kMaybe };
  void AddTo(CommandSpec& app, Need need = Need::kAlways);
  bool is_given() const { return !access_.url.empty(); }
  // `time`: timeout of a reply.
  Result<client::Server> Connect(std::chrono::seconds time = std::chrono::seconds(60)) const;

 private:
  client::ServerAccess access_;
  std::string token_file_;
};

// Reads a token from a file or an environment variable. A token is never on the command line, which
// other users can see.
Result<std::string> ReadToken(const std::string& path, const char* variable);

}  // namespace rankscope::cli
