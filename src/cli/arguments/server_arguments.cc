#include "cli/arguments/server_arguments.h"

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "cli/base/command.h"

namespace rankscope::cli {

void ServerArguments::AddTo(CommandSpec& app, Need need) {
  app.AddOption("--server", access_.url, "such as http://127.0.0.1:8723")
      .Required(need == Need::kAlways);
  app.AddOption("--token-file", token_file_, "the token; without, $RANKSCOPE_TOKEN")
      .Type(kFileType);
  app.AddOption("--tls-ca", access_.ca_file, "certificates to trust beside the system's, PEM")
      .Type(kFileType);
  CommandOption& certificate = app.AddOption("--tls-cert", access_.certificate_file,
                                             "show this certificate in place of a token, PEM")
                                   .Type(kFileType);
  CommandOption& key = app.AddOption("--tls-key", access_.key_file, "its key, PEM").Type(kFileType);
  certificate.Needs(key);
  key.Needs(certificate);
}

Result<client::Server> ServerArguments::Connect(std::chrono::seconds time) const {
  client::ServerAccess access = access_;
  access.time = time;
  RS_ASSIGN_OR_RETURN(access.token, ReadToken(token_file_, "RANKSCOPE_TOKEN"));
  return client::Server::Connect(access);
}

Result<std::string> ReadToken(const std::string& path, const char* variable) {
  std::string token;
  if (const char* const value = std::getenv(variable)) token = value;
  if (!path.empty()) {
    RS_ASSIGN_OR_RETURN(token, ReadFile(path));
  }
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' '))
    token.pop_back();
  if (std::ranges::any_of(token, [](char c) { return c <= ' ' || c == 0x7f; }))
    return Error(StatusCode::kBadData, "{}: a token is one word", path);
  return token;
}

}  // namespace rankscope::cli
