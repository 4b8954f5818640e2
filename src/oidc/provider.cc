#include "oidc/provider.h"
#include "base/base64.h"

#include <openssl/evp.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "json/writer.h"
#include "oidc/form.h"

namespace rankscope::oidc {
namespace {

constexpr std::size_t kSecretBytes = 32;

std::string RandomWord() {
  std::array<char, kSecretBytes> bytes{};
  // Never fails for so few bytes once the system is up.
  while (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
  }
  return ToBase64Url({bytes.data(), bytes.size()});
}

std::string Sha256(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  // Fails for want of memory alone; a challenge of zeros lets nobody in.
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string ToBase64(std::string_view bytes) {
  std::string text = ToBase64Url(bytes);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  while (text.size() % 4 != 0) text += '=';
  return text;
}

// "invalid_grant (the code has expired)" of an answer in which the provider refuses.
std::string ReasonIn(const json::Value& answer) {
  std::string reason = Shown(answer["error"].TextOr(""), 100);
  const std::string described = Shown(answer["error_description"].TextOr(""));
  if (!described.empty()) reason += fmt::format(" ({})", described);
  return reason;
}

Status RefusedByProvider(int status, std::string_view body) {
  const auto reader = json::Reader::Parse(body);
  const std::string code = reader.ok() ? reader->root()["error"].TextOr("") : "";
  if (code == "invalid_grant") {
    return Error(StatusCode::kInvalidArgument,
                 "the provider does not take this sign-in (any more): {}; sign in again",
                 ReasonIn(reader->root()));
  }
  if (!code.empty()) {
    return Error(StatusCode::kBadData,
                 "the provider refuses this server with {}: {}; look at --oidc-client-id, "
                 "--oidc-client-secret-file and at the client's settings there",
                 status, ReasonIn(reader->root()));
  }
  return Error(status >= 500 ? StatusCode::kIo : StatusCode::kBadData,
               "the provider answers {} to the exchange of a code", status);
}

}  // namespace

Secrets NewSecrets() { return {RandomWord(), RandomWord(), RandomWord()}; }

Result<std::string> Provider::Send(const fetch::HttpRequest& request, std::string_view what) {
  fetch::Outcome outcome = transport_.Send(request);
  if (outcome.kind == fetch::Outcome::Kind::kStopped)
    return Error(StatusCode::kBadData, "the provider's {}: {}", what, outcome.why.message());
  if (outcome.kind != fetch::Outcome::Kind::kAnswered) {
    return Error(StatusCode::kIo, "the provider {} does not answer: {}", options_.issuer,
                 outcome.why.message());
  }
  if (outcome.answer.status == 200) return std::move(outcome.answer.body);
  if (request.method == "POST")
    return RefusedByProvider(outcome.answer.status, outcome.answer.body);
  return Error(outcome.answer.status >= 500 ? StatusCode::kIo : StatusCode::kBadData,
               "the provider answers {} to a request for its {}", outcome.answer.status, what);
}

Result<std::string> Provider::Get(const std::string& url, std::string_view what,
                                  std::string_view token) {
  fetch::HttpRequest request{.method = "GET",
                             .url = url,
                             .headers = {{"Accept", "application/json"}},
                             .text = {},
                             .most_ms = kMostRequestMs,
                             .most_answer_bytes = kMostAnswerBytes};
  if (!token.empty())
    request.headers.emplace_back("Authorization", fmt::format("Bearer {}", token));
  return Send(request, what);
}

Result<Discovered> Provider::Discovery() {
  const std::scoped_lock lock(mutex_);
  const std::int64_t now_s = options_.now_s();
  if (discovered_ && now_s - discovered_s_ < kKeptSeconds) return *discovered_;
  // One that is away is not asked by everybody who waits for it.
  if (!failed_.ok() && now_s - failed_s_ < kBetweenTriesSeconds) return failed_;
  std::string url = options_.issuer;
  if (url.ends_with('/')) url.pop_back();
  const auto fetched = [&]() -> Result<Discovered> {
    RS_ASSIGN_OR_RETURN(const std::string document,
                        Get(url + "/.well-known/openid-configuration", "discovery document"));
    auto read = ReadDiscovery(document, options_.issuer);
    if (read.ok()) return read;
    return Error(StatusCode::kBadData, "the provider's discovery document: {}",
                 read.status().message());
  }();
  failed_ = fetched.ok() ? OkStatus() : fetched.status();
  failed_s_ = options_.now_s();
  if (!fetched.ok()) return failed_;
  discovered_ = *fetched;
  discovered_s_ = now_s;
  return *discovered_;
}

Result<KeySet> Provider::Keys(const Discovered& discovered, const IdToken& token) {
  const std::scoped_lock lock(mutex_);
  const std::int64_t now_s = options_.now_s();
  const std::int64_t age_s = now_s - keys_s_;
  const bool is_known = keys_ && keys_->Find(token.key_id, token.algorithm) != nullptr;
  // Providers change their keys: one that is not known may be new. Not asked for more often than
  // that, whatever tokens say.
  const bool is_new = !keys_ || age_s >= (is_known ? kKeptSeconds : kBetweenKeysSeconds);
  if (!is_new) return *keys_;
  RS_ASSIGN_OR_RETURN(const std::string text, Get(discovered.jwks_uri, "keys"));
  auto read = KeySet::Parse(text);
  if (!read.ok())
    return Error(StatusCode::kBadData, "the provider's keys: {}", read.status().message());
  keys_ = *std::move(read);
  keys_s_ = now_s;
  return *keys_;
}

Result<std::string> Provider::SignInAddress(const Secrets& secrets, std::string_view redirect,
                                            std::string_view scopes) {
  RS_ASSIGN_OR_RETURN(const Discovered discovered, Discovery());
  const std::string& base = discovered.authorization_endpoint;
  return base + (base.find('?') == std::string::npos ? '?' : '&') +
         Form({{"response_type", "code"},
               {"client_id", options_.client_id},
               {"redirect_uri", std::string(redirect)},
               {"scope", std::string(scopes)},
               {"state", secrets.state},
               {"nonce", secrets.nonce},
               {"code_challenge", ToBase64Url(Sha256(secrets.verifier))},
               {"code_challenge_method", "S256"}});
}

Status Provider::CheckIssuer(std::optional<std::string_view> issuer) {
  if (issuer && *issuer != options_.issuer) {
    return Error(StatusCode::kInvalidArgument,
                 "the answer is of the provider '{}', and '{}' was asked", Shown(*issuer),
                 options_.issuer);
  }
  if (issuer) return OkStatus();
  RS_ASSIGN_OR_RETURN(const Discovered discovered, Discovery());
  if (!discovered.states_issuer) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "the answer does not say of which provider it is (iss), and '{}' always does",
               options_.issuer);
}

Result<std::string> Provider::ClaimsOf(std::string_view text, const Return& given,
                                       const Discovered& discovered) {
  RS_ASSIGN_OR_RETURN(const IdToken token, IdToken::Parse(text));
  RS_ASSIGN_OR_RETURN(const KeySet keys, Keys(discovered, token));
  const Key* const key = keys.Find(token.key_id, token.algorithm);
  if (key == nullptr) {
    return Error(StatusCode::kInvalidArgument,
                 "the provider's ID token is refused: it is signed by the key '{}' for {}, which "
                 "is none of the provider's {} keys",
                 Shown(token.key_id, 100), ToString(token.algorithm), keys.keys().size());
  }
  if (!key->Verifies(token.algorithm, token.signed_text, token.signature)) {
    return Error(StatusCode::kInvalidArgument,
                 "the provider's ID token is refused: its signature is not the provider's");
  }
  RS_ASSIGN_OR_RETURN(const json::Reader claims, json::Reader::Parse(token.claims));
  RS_RETURN_IF_ERROR(CheckClaims(claims.root(), {.issuer = options_.issuer,
                                                 .client_id = options_.client_id,
                                                 .nonce = given.secrets.nonce,
                                                 .began_s = given.began_s,
                                                 .now_s = options_.now_s()}));
  return token.claims;
}

// What the ID token says stands: userinfo adds claims, and replaces none.
Result<std::string> Provider::WithUserinfo(std::string claims, const Discovered& discovered,
                                           std::string_view access_token) {
  RS_ASSIGN_OR_RETURN(const std::string text,
                      Get(discovered.userinfo_endpoint, "userinfo", access_token));
  RS_ASSIGN_OR_RETURN(const json::Reader more, json::Reader::Parse(text));
  RS_ASSIGN_OR_RETURN(const json::Reader known, json::Reader::Parse(claims));
  if (more.root()["sub"].Text() != known.root()["sub"].Text()) {
    return Error(StatusCode::kInvalidArgument,
                 "the provider's userinfo is of another person than its ID token (sub)");
  }
  std::string joined;
  json::Writer writer(joined);
  writer.BeginObject();
  for (const json::Member& member : known.root().Members())
    writer.Key(member.name).Raw(member.value.ToString());
  for (const json::Member& member : more.root().Members()) {
    if (known.root()[member.name].IsAbsent()) writer.Key(member.name).Raw(member.value.ToString());
  }
  writer.EndObject();
  return joined;
}

Result<std::string> Provider::Redeem(const Return& given,
                                     const std::function<bool(const json::Value&)>& lacks) {
  RS_ASSIGN_OR_RETURN(const Discovered discovered, Discovery());
  fetch::Pairs form = {{"grant_type", "authorization_code"},
                       {"code", given.code},
                       {"redirect_uri", given.redirect},
                       {"code_verifier", given.secrets.verifier}};
  fetch::HttpRequest request{.method = "POST",
                             .url = discovered.token_endpoint,
                             .headers = {{"Accept", "application/json"},
                                         {"Content-Type", "application/x-www-form-urlencoded"}},
                             .text = {},
                             .most_ms = kMostRequestMs,
                             .most_answer_bytes = kMostAnswerBytes};
  const std::string& secret = options_.client_secret;
  if (!secret.empty() && discovered.takes_basic) {
    request.headers.emplace_back(
        "Authorization", "Basic " + ToBase64(Escaped(options_.client_id) + ":" + Escaped(secret)));
  } else {
    form.emplace_back("client_id", options_.client_id);
    if (!secret.empty()) form.emplace_back("client_secret", secret);
  }
  request.text = Form(form);
  RS_ASSIGN_OR_RETURN(const std::string answer, Send(request, "answer to the exchange of a code"));
  const auto reader = json::Reader::Parse(answer);
  const auto token = reader.ok() ? reader->root()["id_token"].Text() : std::nullopt;
  if (!token) {
    return Error(StatusCode::kBadData,
                 "the provider's answer to the exchange of a code has no ID token");
  }
  RS_ASSIGN_OR_RETURN(std::string claims, ClaimsOf(*token, given, discovered));
  RS_ASSIGN_OR_RETURN(const json::Reader read, json::Reader::Parse(claims));
  const std::string access = reader->root()["access_token"].TextOr("");
  const bool is_word =
      !access.empty() && std::ranges::all_of(access, [](char c) { return c > ' ' && c < 0x7f; });
  if (discovered.userinfo_endpoint.empty() || !is_word || !lacks(read.root())) return claims;
  return WithUserinfo(std::move(claims), discovered, access);
}

}  // namespace rankscope::oidc
