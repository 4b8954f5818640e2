#include "oidc/id_token.h"
#include "base/base64.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/utf8.h"

namespace rankscope::oidc {
namespace {

Status Wrong(std::string_view what) { return Error(StatusCode::kBadData, "the ID token {}", what); }

// Two readers of a name that stands twice may read different ones.
Status CheckNames(const json::Value& object, std::string_view what) {
  RS_ASSIGN_OR_RETURN(const std::vector<json::Member> members, object.NeedMembers());
  std::set<std::string_view> names;
  for (const json::Member& member : members) {
    if (!names.insert(member.name).second)
      return Wrong(fmt::format("has '{}' twice in its {}", Shown(member.name, 50), what));
  }
  return OkStatus();
}

Result<std::string> Part(std::string_view text, std::string_view what) {
  auto bytes = FromBase64Url(text);
  if (!bytes || bytes->empty()) return Wrong(fmt::format("has a {} that is no base64url", what));
  return *std::move(bytes);
}

bool IsJwt(std::string_view type) {
  return type.size() == 3 && (type[0] | 32) == 'j' && (type[1] | 32) == 'w' &&
         (type[2] | 32) == 't';
}

Status ReadHeader(const json::Value& header, IdToken& token) {
  RS_RETURN_IF_ERROR(CheckNames(header, "header"));
  const std::string_view name = header["alg"].Text().value_or("");
  const auto algorithm = ParseAlgorithm(name);
  if (!algorithm) {
    return Wrong(
        fmt::format("is signed by '{}'; RS256, PS256 and ES256 are taken: choose one of them for "
                    "this client at the provider",
                    Shown(name, 50)));
  }
  token.algorithm = *algorithm;
  if (!header["crit"].IsAbsent()) return Wrong("has extensions that nobody here knows (crit)");
  if (header["typ"].IsKnown() && !IsJwt(header["typ"].Text().value_or("")))
    return Wrong(fmt::format("is of the type '{}'", Shown(header["typ"].TextOr("?"), 50)));
  if (header["kid"].IsKnown() && !header["kid"].Text()) return Wrong("has a kid that is no text");
  token.key_id = header["kid"].TextOr("");
  return OkStatus();
}

Status Refused(std::string_view what) {
  return Error(StatusCode::kInvalidArgument, "the provider's ID token is refused: {}", what);
}

Status CheckAudience(const json::Value& claims, const Expected& expected) {
  const json::Value audience = claims["aud"];
  const std::vector<json::Value> several = audience.Items();
  const auto is_ours = [&](const json::Value& one) { return one.Text() == expected.client_id; };
  if (!is_ours(audience) && std::ranges::none_of(several, is_ours)) {
    return Refused(fmt::format("it is for {} (aud), and not for '{}'",
                               Shown(audience.IsAbsent() ? "nobody" : audience.ToString()),
                               expected.client_id));
  }
  const json::Value party = claims["azp"];
  if (several.size() > 1 && !party.IsKnown())
    return Refused("it is for several programs and does not say which asked for it (azp)");
  if (party.IsKnown() && !is_ours(party))
    return Refused(fmt::format("'{}' asked for it (azp), and not '{}'", Shown(party.TextOr("?")),
                               expected.client_id));
  return OkStatus();
}

Status CheckTimes(const json::Value& claims, const Expected& expected) {
  // Numbers of seconds may have fractions.
  const auto ends_s = claims["exp"].Number();
  const auto made_s = claims["iat"].Number();
  const auto now_s = static_cast<double>(expected.now_s);
  const auto skew_s = static_cast<double>(expected.skew_s);
  constexpr std::string_view kClocks = "are the clocks of both machines right?";
  if (!ends_s) return Refused("it does not say when it expires (exp)");
  if (*ends_s + skew_s <= now_s) {
    return Refused(fmt::format("it expired {:.0f} s ago (exp); {}", now_s - *ends_s, kClocks));
  }
  if (!made_s) return Refused("it does not say when it was made (iat)");
  if (*made_s > now_s + skew_s) {
    return Refused(
        fmt::format("it was made {:.0f} s in the future (iat); {}", *made_s - now_s, kClocks));
  }
  if (*made_s + skew_s < static_cast<double>(expected.began_s)) {
    return Refused(fmt::format("it was made {:.0f} s before this sign-in began (iat); {}",
                               static_cast<double>(expected.began_s) - *made_s, kClocks));
  }
  const json::Value from = claims["nbf"];
  if (from.IsKnown() && (!from.Number() || *from.Number() > now_s + skew_s))
    return Refused(fmt::format("it is not valid yet (nbf); {}", kClocks));
  return OkStatus();
}

bool AreEqual(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace

std::string Shown(std::string_view text, std::size_t most) {
  if (!IsValidUtf8(text)) return "(no UTF-8)";
  const bool is_cut = text.size() > most;
  if (is_cut) {
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
    text = text.substr(0, most);
  }
  std::string shown(text);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  }
  return is_cut ? shown + "..." : shown;
}

Result<IdToken> IdToken::Parse(std::string_view text) {
  if (text.size() > kMostBytes)
    return Wrong(fmt::format("has {} bytes, and {} are taken", text.size(), kMostBytes));
  const std::size_t first = text.find('.');
  const std::size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos || text.find('.', second + 1) != std::string_view::npos)
    return Wrong("is no JWT of three parts");
  IdToken token;
  RS_ASSIGN_OR_RETURN(const std::string header, Part(text.substr(0, first), "header"));
  RS_ASSIGN_OR_RETURN(token.claims, Part(text.substr(first + 1, second - first - 1), "payload"));
  token.signed_text = text.substr(0, second);
  const auto read = json::Reader::Parse(header);
  if (!read.ok() || !read->root().IsObject()) return Wrong("has a header that is no JSON object");
  RS_RETURN_IF_ERROR(ReadHeader(read->root(), token));
  RS_ASSIGN_OR_RETURN(token.signature, Part(text.substr(second + 1), "signature"));
  const auto claims = json::Reader::Parse(token.claims);
  if (!claims.ok() || !claims->root().IsObject())
    return Wrong("has a payload that is no JSON object");
  RS_RETURN_IF_ERROR(CheckNames(claims->root(), "payload"));
  return token;
}

Status CheckClaims(const json::Value& claims, const Expected& expected) {
  if (claims["iss"].Text() != expected.issuer) {
    return Refused(fmt::format("it is of '{}' (iss), and not of '{}'",
                               Shown(claims["iss"].TextOr("nobody")), expected.issuer));
  }
  RS_RETURN_IF_ERROR(CheckAudience(claims, expected));
  RS_RETURN_IF_ERROR(CheckTimes(claims, expected));
  const auto nonce = claims["nonce"].Text();
  if (!nonce || !AreEqual(*nonce, expected.nonce))
    return Refused("it was made for another sign-in (nonce)");
  const std::string_view subject = claims["sub"].Text().value_or("");
  if (subject.empty() || subject.size() > 255)
    return Refused("it does not say of whom it tells (sub)");
  return OkStatus();
}

}  // namespace rankscope::oidc
