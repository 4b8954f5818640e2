// Provider: a server for sign-in by OpenID Connect's authorisation code flow with PKCE (RFC 7636).
// Its answers over the network are verified before use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "fetch/transport.h"
#include "oidc/id_token.h"
#include "oidc/keys.h"

namespace rankscope::oidc {

struct ProviderOptions {
  std::string issuer;         // as in its discovery document
  std::string client_id;      // the id of this server at the provider
  std::string client_secret;  // "": a public client
  std::function<std::int64_t()> now_s;
};

// For one sign-in, generated for each: 256 random bits each.
struct Secrets {
  std::string state;
  std::string nonce;
  std::string verifier;
};
Secrets NewSecrets();

// The provider's discovery document (OpenID Connect Discovery).
struct Discovered {
  std::string authorization_endpoint;
  std::string token_endpoint;
  std::string jwks_uri;
  std::string userinfo_endpoint;  // "": none
  bool takes_basic = true;        // the secret goes into the header, otherwise into the body
  bool states_issuer = false;     // in each answer to a browser (RFC 9207)
};
// kBadData if it is invalid, of another issuer, or has unsafe addresses.
Result<Discovered> ReadDiscovery(std::string_view json, std::string_view issuer);

// Checks that secrets may be sent to an address: https://, or http:// only to this machine.
// kInvalidArgument.
Status CheckAddress(std::string_view what, std::string_view url);

// Thread-safe; calls block for at most kMostRequestMs per request. `transport` must outlive it.
//
// Errors: kIo if the provider does not answer, or reports an error of its own; kBadData if its
// answer is unusable; kInvalidArgument if the provider or its token refuses this sign-in.
class Provider {
 public:
  static constexpr long kMostRequestMs = 8'000;
  static constexpr std::size_t kMostAnswerBytes = std::size_t{1} << 20;
  static constexpr std::int64_t kKeptSeconds = 3600;       // documents and keys
  static constexpr std::int64_t kBetweenKeysSeconds = 60;  // between fetches for unknown keys
  static constexpr std::int64_t kBetweenTriesSeconds = 5;  // after a failed try

  Provider(ProviderOptions options, fetch::Transport& transport)
      : options_(std::move(options)), transport_(transport) {}

  const ProviderOptions& options() const { return options_; }

  // The address for the browser, with state, nonce and the verifier's challenge.
  Result<std::string> SignInAddress(const Secrets& secrets, std::string_view redirect,
                                    std::string_view scopes);
  // Checks that the browser's answer names the provider, if the provider always states it.
  Status CheckIssuer(std::optional<std::string_view> issuer);

  struct Return {
    std::string code;
    std::string redirect;
    Secrets secrets;
    std::int64_t began_s = 0;
  };
  // The claims of the person as JSON: those of the verified ID token, and, if `lacks` returns true,
  // also those that userinfo has for the same person.
  Result<std::string> Redeem(const Return& given,
                             const std::function<bool(const json::Value&)>& lacks);

 private:
  Result<Discovered> Discovery();
  Result<KeySet> Keys(const Discovered& discovered, const IdToken& token);
  Result<std::string> Get(const std::string& url, std::string_view what,
                          std::string_view token = "");
  Result<std::string> Send(const fetch::HttpRequest& request, std::string_view what);
  Result<std::string> ClaimsOf(std::string_view token, const Return& given,
                               const Discovered& discovered);
  Result<std::string> WithUserinfo(std::string claims, const Discovered& discovered,
                                   std::string_view access_token);

  const ProviderOptions options_;
  fetch::Transport& transport_;
  std::mutex mutex_;  // held while a document or keys are fetched: one fetch for all that wait
  std::optional<Discovered> discovered_;
  std::int64_t discovered_s_ = 0;
  Status failed_;
  std::int64_t failed_s_ = 0;
  std::optional<KeySet> keys_;
  std::int64_t keys_s_ = 0;
};

}  // namespace rankscope::oidc
