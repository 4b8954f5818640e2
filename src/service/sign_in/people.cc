#include "service/sign_in/people.h"

#include <openssl/crypto.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/file.h"
#include "fetch/curl_transport.h"
#include "service/requests/api.h"
#include "service/requests/pages.h"
#include "service/requests/reply.h"
#include "service/sign_in/cookies.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

constexpr std::size_t kPeopleAtOnce = 4;
constexpr std::size_t kMostWaiting = 64;
// Four requests to the provider at most, each with a bound of its own.
constexpr std::chrono::milliseconds kPeopleTime{5 * oidc::Provider::kMostRequestMs};
constexpr std::size_t kMostPath = 2000;
constexpr std::size_t kMostCode = 4096;
constexpr std::size_t kSecretSize = 43;

// With TLS under a name that no other host of the domain can set.
std::string_view CookieName(bool is_secure) {
  return is_secure ? "__Host-rankscope-sign-in" : "rankscope-sign-in";
}

bool IsSecret(std::string_view text) {
  return text.size() == kSecretSize && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '-' || c == '_';
         });
}

// A file of which others who may write to it let themselves in.
Result<std::string> ReadOwn(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Error(StatusCode::kBadData,
                 "{}: others may write to it, and so let themselves in: chmod go-w {}", path, path);
  }
  return ReadFile(path);
}

std::string HostOf(std::string_view url) {
  url.remove_prefix(std::min(url.find("://") + 3, url.size()));
  return std::string(url.substr(0, url.find('/')));
}

// What a browser shows; whoever runs the server reads the same in its log.
http::Reply Problem(int status, std::string_view sentence) {
  http::Reply reply;
  reply.status = status;
  reply.fields = {{"Content-Type", "text/html; charset=utf-8"}, {"Cache-Control", "no-store"}};
  reply.body = ProblemPage("You are not signed in", fmt::format("{}.", sentence));
  reply.note = std::string(sentence);
  return reply;
}

http::Reply Problem(const Status& status) {
  switch (status.code()) {
    case StatusCode::kInvalidArgument:
      return Problem(403, status.message());
    case StatusCode::kIo:
      return Problem(503, status.message());
    default:
      return Problem(502, status.message());
  }
}

http::Reply Redirect(const std::string& url) {
  http::Reply reply;
  reply.status = 303;
  reply.fields = {{"Location", url}, {"Cache-Control", "no-store"}};
  return reply;
}

}  // namespace

struct People::Came {
  std::string state, code, error, described;
  std::optional<std::string> issuer;
  std::string browser;  // the secret in its cookie
  std::string session;  // that it had before, "" without
  std::string peer;
  bool is_secure = false;
};

Status CheckPeople(const PeopleOptions& options) {
  const auto wrong = [](std::string_view what) {
    return Error(StatusCode::kInvalidArgument, "{}", what);
  };
  if (options.issuer.empty()) {
    const bool has_none = options.client_id.empty() && options.client_secret_file.empty() &&
                          options.rules_file.empty() && options.name.empty() &&
                          options.ca_file.empty() && options.public_url.empty();
    return has_none ? OkStatus() : wrong("the other options of sign-in go with --oidc-issuer URL");
  }
  RS_RETURN_IF_ERROR(oidc::CheckAddress("--oidc-issuer", options.issuer));
  if (options.client_id.empty())
    return wrong("--oidc-issuer needs --oidc-client-id: what the provider calls this server");
  if (options.rules_file.empty()) {
    return wrong(
        "--oidc-issuer needs --oidc-rules FILE, which says who of the provider's people may what "
        "(docs/sign-in.md)");
  }
  if (options.public_url.empty()) return OkStatus();
  RS_RETURN_IF_ERROR(oidc::CheckAddress("--public-url", options.public_url));
  const std::size_t host = options.public_url.find("://") + 3;
  return options.public_url.find_first_of("/?", host) == std::string::npos
             ? OkStatus()
             : wrong("--public-url is scheme, host and port alone: https://rankscope.example.org");
}

// No other scheme or host, however browsers read it: "//evil", "/\evil", "/<tab>/evil".
bool IsPagePath(std::string_view path) {
  const bool is_plain = std::ranges::all_of(path, [](char c) {
    return c > ' ' && c < 0x7f && c != '\\' && c != '"' && c != '<' && c != '>';
  });
  return is_plain && path.size() <= kMostPath && path.starts_with('/') && !path.starts_with("//") &&
         !path.starts_with("/api/") && path.find("/../") == std::string_view::npos &&
         !path.ends_with("/..");
}

People::People(const PeopleOptions& options, oidc::Rules rules, oidc::ProviderOptions provider,
               std::unique_ptr<fetch::Transport> transport, std::unique_ptr<SignIns> sign_ins,
               Access& access, OnSignIn told)
    : name_(options.name.empty() ? HostOf(options.issuer) : options.name),
      public_url_(options.public_url),
      rules_(std::move(rules)),
      transport_(std::move(transport)),
      provider_(std::move(provider), *transport_),
      sign_ins_(std::move(sign_ins)),
      access_(access),
      told_(std::move(told)),
      scopes_([this] {
        std::string scopes = "openid";
        for (const std::string& scope : rules_.scopes()) {
          if (scope != "openid") scopes += " " + scope;
        }
        return scopes;
      }()),
      work_(kPeopleAtOnce, kMostWaiting) {}

Result<std::unique_ptr<People>> People::Open(const PeopleOptions& options, Access& access,
                                             std::unique_ptr<SignIns> sign_ins, OnSignIn told,
                                             WallClock now_s) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadOwn(options.rules_file));
  RS_ASSIGN_OR_RETURN(oidc::Rules rules, oidc::Rules::Parse(text, options.rules_file));
  oidc::ProviderOptions provider{.issuer = options.issuer,
                                 .client_id = options.client_id,
                                 .client_secret = {},
                                 .now_s = std::move(now_s)};
  if (!options.client_secret_file.empty()) {
    RS_ASSIGN_OR_RETURN(provider.client_secret, ReadFile(options.client_secret_file));
    std::string& secret = provider.client_secret;
    while (!secret.empty() && static_cast<unsigned char>(secret.back()) <= ' ') secret.pop_back();
    if (secret.empty())
      return Error(StatusCode::kBadData, "{}: it has no secret", options.client_secret_file);
  }
  RS_ASSIGN_OR_RETURN(auto transport,
                      fetch::MakeCurlTransport({.ca_file = options.ca_file, .connect_ms = 5'000}));
  access.TakePeople("oidc:" + store::Sha256Of(fmt::format("{}\n{}\n{}", options.issuer,
                                                          options.client_id, text)));
  return std::unique_ptr<People>(new People(options, std::move(rules), std::move(provider),
                                            std::move(transport), std::move(sign_ins), access,
                                            std::move(told)));
}

std::string People::AddressFor(const http::Head& head) const {
  return public_url_.empty() ? AddressOf(head) : public_url_;
}

http::Reply People::Begin(const Call& call) {
  const std::string address = AddressFor(call.head);
  const bool is_secure = address.starts_with("https://");
  const std::string_view asked = call.Query("to");
  const std::string to = IsPagePath(asked) ? std::string(asked) : "/";
  // Several tabs of a browser sign in beside each other.
  const std::string_view had = CookieOf(call.head, CookieName(is_secure)).value_or("");
  const std::string browser = IsSecret(had) ? std::string(had) : oidc::NewSecrets().state;
  const auto run = [this, redirect = address + std::string(kFinishPath), to, browser,
                    peer = call.head.peer,
                    is_secure] { return SendAway(redirect, to, browser, peer, is_secure); };
  return work_.Reply({.run = run, .stop = [] {}}, kPeopleTime);
}

http::Reply People::SendAway(const std::string& redirect, const std::string& to,
                             const std::string& browser, const std::string& peer, bool is_secure) {
  const oidc::Secrets secrets = oidc::NewSecrets();
  const auto address = provider_.SignInAddress(secrets, redirect, scopes_);
  if (!address.ok()) {
    return Problem(Status(address.status().code(),
                          address.status().message() + ". Signing in by a token works meanwhile"));
  }
  const Status added = sign_ins_->Add(store::Sha256Of(secrets.state),
                                      {.browser = store::Sha256Of(browser),
                                       .nonce = secrets.nonce,
                                       .verifier = secrets.verifier,
                                       .redirect = redirect,
                                       .to = to,
                                       .began_s = provider_.options().now_s()},
                                      peer);
  if (!added.ok()) return ErrorReply(added);
  http::Reply reply = Redirect(*address);
  // Lax: the browser comes back from another site.
  reply.fields.emplace_back("Set-Cookie", CookieText({.name = CookieName(is_secure),
                                                      .value = browser,
                                                      .seconds = SignIns::kSeconds,
                                                      .site = SameSite::kLax,
                                                      .is_secure = is_secure}));
  return reply;
}

http::Reply People::Finish(const Call& call) {
  Came came{.state = std::string(call.Query("state")),
            .code = std::string(call.Query("code")),
            .error = std::string(call.Query("error")),
            .described = std::string(call.Query("error_description")),
            .issuer = std::nullopt,
            .browser = {},
            .session = std::string(SessionOf(call.head).value_or("")),
            .peer = call.head.peer,
            .is_secure = AddressFor(call.head).starts_with("https://")};
  if (const auto issuer = http::Find(call.head.query, "iss")) came.issuer = std::string(*issuer);
  came.browser = CookieOf(call.head, CookieName(came.is_secure)).value_or("");
  return work_.Reply({.run = [this, came] { return TakeBack(came); }, .stop = [] {}}, kPeopleTime);
}

Result<SignIn> People::BegunBy(const Came& came) {
  const auto refused = [](std::string_view what) {
    return Error(StatusCode::kInvalidArgument, "{}; sign in again", what);
  };
  if (!IsSecret(came.state)) return refused("This is no answer to a sign-in of this server");
  RS_ASSIGN_OR_RETURN(auto begun, sign_ins_->Take(store::Sha256Of(came.state)));
  if (!begun) {
    return refused(
        "This sign-in is not under way (any more): it was ended before, or took over ten minutes");
  }
  const std::string hash = store::Sha256Of(came.browser);
  const bool is_same = CRYPTO_memcmp(hash.data(), begun->browser.data(),
                                     std::min(hash.size(), begun->browser.size())) == 0;
  if (came.browser.empty() || hash.size() != begun->browser.size() || !is_same) {
    return refused(
        "Another browser began this sign-in, or this one keeps no cookies of this server");
  }
  return *std::move(begun);
}

Result<Principal> People::PersonOf(const Came& came, const SignIn& begun, std::string& subject) {
  RS_RETURN_IF_ERROR(provider_.CheckIssuer(came.issuer));
  if (!came.error.empty()) {
    const std::string described = oidc::Shown(came.described);
    return Error(StatusCode::kInvalidArgument, "The provider {} refuses: {}{}", name_,
                 oidc::Shown(came.error, 100),
                 described.empty() ? "" : fmt::format(" ({})", described));
  }
  if (came.code.empty() || came.code.size() > kMostCode)
    return Error(StatusCode::kInvalidArgument, "The provider's answer has no code; sign in again");
  RS_ASSIGN_OR_RETURN(
      const std::string claims,
      provider_.Redeem({.code = came.code,
                        .redirect = begun.redirect,
                        .secrets = {.state = {}, .nonce = begun.nonce, .verifier = begun.verifier},
                        .began_s = begun.began_s},
                       [this](const json::Value& known) { return rules_.LacksAny(known); }));
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(claims));
  subject = oidc::Shown(reader.root()["sub"].TextOr(""));
  RS_ASSIGN_OR_RETURN(const oidc::Person person, rules_.PersonOf(reader.root()));
  return access_.PersonOf(person.name, *ParseRole(person.role), person.team);
}

http::Reply People::TakeBack(const Came& came) {
  std::string subject;
  const auto refuse = [&](const Status& why) {
    told_({.person = nullptr, .subject = subject, .why = why.message(), .peer = came.peer});
    return Problem(why);
  };
  const auto begun = BegunBy(came);
  if (!begun.ok()) return refuse(begun.status());
  const auto who = PersonOf(came, *begun, subject);
  if (!who.ok()) return refuse(who.status());
  // A session that somebody else may have put there ends.
  if (!came.session.empty()) {
    if (const Status ended = access_.EndSession(came.session); !ended.ok())
      return ErrorReply(ended);
  }
  const auto session = access_.NewSession(*who);
  if (!session.ok()) return ErrorReply(session.status());
  told_({.person = &*who, .subject = subject, .why = {}, .peer = came.peer});
  http::Reply reply = Redirect(begun->to);
  reply.fields.emplace_back("Set-Cookie", SessionCookie(*session, came.is_secure));
  return reply;
}

}  // namespace rankscope::service
