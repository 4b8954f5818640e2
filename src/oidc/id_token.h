// IdToken: what a provider says of a person, signed (a JWT in JWS compact form, RFC 7515, 7519).
//
// Parsing trusts nothing; what the claims say counts once Signature and CheckClaims have been OK.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "json/reader.h"
#include "oidc/keys.h"

namespace rankscope::oidc {

struct IdToken {
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;

  // kBadData for what is no JWT that may be an ID token: its algorithm is none of keys.h, it has
  // extensions that have to be understood (`crit`), is of another type, or a name stands twice.
  static Result<IdToken> Parse(std::string_view text);

  Algorithm algorithm = Algorithm::kRs256;
  std::string key_id;  // "" without
  std::string signed_text;
  std::string signature;
  std::string claims;  // JSON, an object
};

struct Expected {
  std::string issuer;
  std::string client_id;
  std::string nonce;
  std::int64_t began_s = 0;  // the sign-in: an older token is another one's
  std::int64_t now_s = 0;
  std::int64_t skew_s = 120;  // of the provider's clock
};

// `iss`, `aud`, `azp`, `exp`, `nbf`, `iat`, `nonce`, `sub` (OpenID Connect Core, 3.1.3.7).
// kInvalidArgument with a sentence that says which is wrong and what it is.
Status CheckClaims(const json::Value& claims, const Expected& expected);

// What others say, as it stands in a sentence: one line of at most `most` bytes of UTF-8.
std::string Shown(std::string_view text, std::size_t most = 200);

}  // namespace rankscope::oidc
