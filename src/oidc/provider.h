// Provider: a server at which people sign in, by OpenID Connect's authorisation code flow with PKCE
// (RFC 7636). It is asked over the network; what it answers is checked before it counts.
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
  std::string issuer;         // as its discovery document states it
  std::string client_id;      // of this server, as the provider knows it
  std::string client_secret;  // "": a public client
  std::function<std::int64_t()> now_s;
};

// Of one sign-in, made anew for each: 256 random bits each.
struct Secrets {
  std::string state;
  std::string nonce;
  std::string verifier;
};
Secrets NewSecrets();

// What a provider says of itself (OpenID Connect Discovery).
struct Discovered {
  std::string authorization_endpoint;
  std::string token_endpoint;
  std::string jwks_uri;
  std::string userinfo_endpoint;  // "": none
  bool takes_basic = true;        // the secret in the head, else in the body
  bool states_issuer = false;     // in each answer to a browser (RFC 9207)
};
// kBadData for what is none, is of another issuer, or names addresses that are not safe.
Result<Discovered> ReadDiscovery(std::string_view json, std::string_view issuer);

// https://, or http:// to this machine alone: an address to which secrets may be sent.
// kInvalidArgument.
Status CheckAddress(std::string_view what, std::string_view url);

// Safe for many threads; calls block for at most kMostRequestMs a request. `transport` outlives it.
//
// Errors: kIo where the provider does not answer, or says that it cannot; kBadData where what it
// says cannot be used; kInvalidArgument where it or its token refuses this sign-in.
class Provider {
 public:
  static constexpr long kMostRequestMs = 8'000;
  static constexpr std::size_t kMostAnswerBytes = std::size_t{1} << 20;
  static constexpr std::int64_t kKeptSeconds = 3600;       // documents and keys
  static constexpr std::int64_t kBetweenKeysSeconds = 60;  // for keys that are not known
  static constexpr std::int64_t kBetweenTriesSeconds = 5;  // behind one that failed

  Provider(ProviderOptions options, fetch::Transport& transport)
      : options_(std::move(options)), transport_(transport) {}

  const ProviderOptions& options() const { return options_; }

  // Where the browser goes: with state, nonce and the challenge of the verifier.
  Result<std::string> SignInAddress(const Secrets& secrets, std::string_view redirect,
                                    std::string_view scopes);
  // What the browser brings back names the provider, where it says that it always does.
  Status CheckIssuer(std::optional<std::string_view> issuer);

  struct Return {
    std::string code;
    std::string redirect;
    Secrets secrets;
    std::int64_t began_s = 0;
  };
  // The claims of the person, JSON: those of the ID token, which is checked, and, where `lacks`
  // says so, what else userinfo tells of the same person.
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
  std::mutex mutex_;  // held while a document or keys are fetched: once for all who wait
  std::optional<Discovered> discovered_;
  std::int64_t discovered_s_ = 0;
  Status failed_;
  std::int64_t failed_s_ = 0;
  std::optional<KeySet> keys_;
  std::int64_t keys_s_ = 0;
};

}  // namespace rankscope::oidc
