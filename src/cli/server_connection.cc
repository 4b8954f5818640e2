#include "cli/server_connection.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "cli/command.h"

namespace rankscope::cli {

void ServerArguments::AddTo(CLI::App& app) {
  app.add_option("--server", url_, "such as http://127.0.0.1:8723")->required();
  app.add_option("--token-file", token_file_, "the token; without, $RANKSCOPE_TOKEN")
      ->type_name(kFileType);
  app.add_option("--tls-ca", ca_file_, "certificates to trust beside the system's, PEM")
      ->type_name(kFileType);
  auto* certificate = app.add_option("--tls-cert", certificate_file_,
                                     "show this certificate in place of a token, PEM")
                          ->type_name(kFileType);
  auto* key = app.add_option("--tls-key", key_file_, "its key, PEM")->type_name(kFileType);
  certificate->needs(key);
  key->needs(certificate);
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
