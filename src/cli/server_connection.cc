#include "cli/server_connection.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "cli/command.h"

namespace rankscope::cli {

void ServerArguments::AddTo(CommandSpec& app) {
  app.AddOption("--server", url_, "such as http://127.0.0.1:8723").Required();
  app.AddOption("--token-file", token_file_, "the token; without, $RANKSCOPE_TOKEN")
      .Type(kFileType);
  app.AddOption("--tls-ca", ca_file_, "certificates to trust beside the system's, PEM")
      .Type(kFileType);
  CommandOption& certificate = app.AddOption("--tls-cert", certificate_file_,
                                             "show this certificate in place of a token, PEM")
                                   .Type(kFileType);
  CommandOption& key = app.AddOption("--tls-key", key_file_, "its key, PEM").Type(kFileType);
  certificate.Needs(key);
  key.Needs(certificate);
}

Result<std::unique_ptr<http::Client>> ServerArguments::Connect() {
  RS_ASSIGN_OR_RETURN(const http::Address address, http::ParseAddress(url_));
  url_ = address.Text();
  RS_ASSIGN_OR_RETURN(const std::string token, ReadToken(token_file_, "RANKSCOPE_TOKEN"));
  http::ClientOptions options{
      .ca_file = ca_file_, .certificate_file = certificate_file_, .key_file = key_file_};
  if (!token.empty()) options.fields.emplace_back("Authorization", "Bearer " + token);
  return http::MakeClient(address, options);
}

Result<std::string> ReadToken(const std::string& path, const char* variable) {
  std::string token;
  const char* const value = variable == nullptr ? nullptr : std::getenv(variable);
  if (value != nullptr) token = value;
  if (!path.empty()) {
    RS_ASSIGN_OR_RETURN(token, ReadFile(path));
  }
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' '))
    token.pop_back();
  if (std::ranges::any_of(token, [](char c) { return c <= ' ' || c == 0x7f; }))
    return Error(StatusCode::kBadData, "{}: a token is one word", path);
  return token;
}

Status ErrorOf(const http::ClientReply& reply) {
  simdjson::dom::parser parser;
  std::string_view message;
  if (parser.parse(reply.body)["error"]["message"].get(message)) message = "it gave no reason";
  const StatusCode code = reply.status == 404   ? StatusCode::kNotFound
                          : reply.status >= 500 ? StatusCode::kIo
                                                : StatusCode::kInvalidArgument;
  return Error(code, "the server refuses ({}): {}", reply.status, message);
}

}  // namespace rankscope::cli
