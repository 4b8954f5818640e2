// Any bytes as what a provider of OpenID Connect says, and as the rules for it: each reader gives
// what is well-formed or one sentence, and nobody is let in by what was not signed.
#include <string>

#include "base/base64.h"
#include "input.h"
#include "oidc/id_token.h"
#include "oidc/keys.h"
#include "oidc/provider.h"
#include "oidc/rules.h"

namespace rankscope::fuzz {
namespace {

constexpr std::string_view kEcKeys =
    R"({"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
    R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})";
constexpr std::string_view kRules =
    "[[rule]]\nclaim = \"groups\"\nvalue = \"team-*\"\nrole = \"upload\"\nteam = \"{rest}\"\n"
    "[[rule]]\nclaim = \"a.b\"\nvalue = \"c\"\nrole = \"admin\"\nteam = \"*\"\n";

void CheckBase64(std::string_view text) {
  if (const auto bytes = FromBase64Url(text)) FUZZ_CHECK(ToBase64Url(*bytes) == text);
  FUZZ_CHECK(FromBase64Url(ToBase64Url(text)) == text);
}

void CheckPerson(const oidc::Rules& rules, std::string_view claims) {
  const auto reader = json::Reader::Parse(claims);
  if (!reader.ok()) return;
  rules.LacksAny(reader->root());
  const auto person = rules.PersonOf(reader->root());
  if (!person.ok()) {
    const Status refused = person.status();
    for (const char c : refused.message()) FUZZ_CHECK(static_cast<unsigned char>(c) >= ' ');
    return;
  }
  for (const std::string* word : {&person->name, &person->team}) {
    FUZZ_CHECK(!word->empty() && word->find_first_of(" \t\r\n#\"<>&;,") == std::string::npos);
  }
}

void CheckToken(std::string_view text) {
  static const auto kKeys = oidc::KeySet::Parse(kEcKeys);
  const auto token = oidc::IdToken::Parse(text);
  if (!token.ok()) {
    FUZZ_CHECK(!token.status().message().empty());
    return;
  }
  FUZZ_CHECK(text.starts_with(token->signed_text) && !token->signature.empty());
  const oidc::Key* const key = kKeys->Find("", token->algorithm);
  FUZZ_CHECK((key != nullptr) == (token->algorithm == oidc::Algorithm::kEs256));
  if (key != nullptr) key->Verifies(token->algorithm, token->signed_text, token->signature);
  const auto claims = json::Reader::Parse(token->claims);
  FUZZ_CHECK(claims.ok() && claims->root().IsObject());
  // The nonce is one that nothing here has.
  const auto nonce = oidc::NewSecrets().nonce;
  FUZZ_CHECK(!oidc::CheckClaims(claims->root(), {.issuer = "joe",
                                                 .client_id = "us",
                                                 .nonce = nonce,
                                                 .began_s = 1'300'819'000,
                                                 .now_s = 1'300'819'300})
                  .ok());
}

void CheckKeys(std::string_view text) {
  const auto keys = oidc::KeySet::Parse(text);
  if (!keys.ok()) return;
  FUZZ_CHECK(keys->keys().size() <= oidc::KeySet::kMostKeys);
  for (const oidc::Key& key : keys->keys())
    FUZZ_CHECK(!key.Verifies(oidc::Algorithm::kEs256, "text", std::string(64, '\1')));
}

void CheckDocument(std::string_view text) {
  const auto read = oidc::ReadDiscovery(text, "https://id.test");
  if (!read.ok()) return;
  for (const std::string* url :
       {&read->authorization_endpoint, &read->token_endpoint, &read->jwks_uri}) {
    FUZZ_CHECK(oidc::CheckAddress("it", *url).ok());
    FUZZ_CHECK(url->find_first_of("\r\n\t \"") == std::string::npos);
  }
}

}  // namespace
}  // namespace rankscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace rankscope;
  using namespace rankscope::fuzz;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  static const auto kSound = oidc::Rules::Parse(kRules, "rules");
  CheckBase64(text);
  CheckToken(text);
  CheckKeys(text);
  CheckDocument(text);
  CheckPerson(*kSound, text);
  const auto rules = oidc::Rules::Parse(text, "rules");
  if (rules.ok()) CheckPerson(*rules, R"({"email":"a@x","groups":["team-a","b"],"a":{"b":"c"}})");
  return 0;
}
