// IdToken: a provider's signed statement about a person (a JWT in JWS compact form, RFC 7515,
// 7519).
//
// Parsing trusts nothing; use the claims only after the signature and CheckClaims are OK.
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

  // kBadData if it is not a JWT that can be an ID token: an algorithm that is not in keys.h,
  // extensions that must be understood (`crit`), another type, or a repeated name.
  static Result<IdToken> Parse(std::string_view text);

  Algorithm algorithm = Algorithm::kRs256;
  std::string key_id;  // "" if there is none
  std::string signed_text;
  std::string signature;
  std::string claims;  // JSON, an object
};

struct Expected {
  std::string issuer;
  std::string client_id;
  std::string nonce;
  std::int64_t began_s = 0;  // the start of the sign-in: an older token belongs to another sign-in
  std::int64_t now_s = 0;
  std::int64_t skew_s = 120;  // tolerance for the provider's clock
};

// `iss`, `aud`, `azp`, `exp`, `nbf`, `iat`, `nonce`, `sub` (OpenID Connect Core, 3.1.3.7).
// kInvalidArgument with a sentence that names the wrong claim and its value.
Status CheckClaims(const json::Value& claims, const Expected& expected);

// A foreign text for use in a sentence: one line of at most `most` bytes of UTF-8.
std::string Shown(std::string_view text, std::size_t most = 200);

}  // namespace rankscope::oidc
