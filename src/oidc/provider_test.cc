#include "oidc/provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "oidc/signer_for_test.h"

namespace rankscope::oidc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kIssuer = "https://id.test";

class FakeProvider final : public fetch::Transport {
 public:
  fetch::Outcome Send(const fetch::HttpRequest& request) override {
    requests.push_back(request);
    const auto found = pages.find(request.url);
    if (found == pages.end())
      return {fetch::Outcome::Kind::kBroken, Error(StatusCode::kIo, "connection refused"), {}};
    fetch::Outcome outcome;
    outcome.answer = {.status = found->second.first, .headers = {}, .body = found->second.second};
    return outcome;
  }
  int CountOf(const std::string& url) const {
    return static_cast<int>(std::ranges::count(requests, url, &fetch::HttpRequest::url));
  }
  std::map<std::string, std::pair<int, std::string>> pages;
  std::vector<fetch::HttpRequest> requests;
};

class ProviderTest : public ::testing::Test {
 protected:
  ProviderTest() {
    network_.pages[kIssuer + "/.well-known/openid-configuration"] = {200, Document()};
    network_.pages[kIssuer + "/jwks"] = {200, signer_.Jwks()};
    Answer(signer_.Token(Claims()));
  }
  static std::string Document(const std::string& more = "") {
    return R"({"issuer":"https://id.test","authorization_endpoint":"https://id.test/auth",)"
           R"("token_endpoint":"https://id.test/token","jwks_uri":"https://id.test/jwks")" +
           more + "}";
  }
  std::string Claims(const std::string& more = "") const {
    return R"({"iss":"https://id.test","aud":"us","sub":"7","nonce":"n","iat":1000,"exp":1300)" +
           more + "}";
  }
  void Answer(const std::string& token) {
    network_.pages[kIssuer + "/token"] = {200,
                                          R"({"access_token":"at","id_token":")" + token + "\"}"};
  }
  Result<std::string> Redeem() {
    return provider_.Redeem({.code = "the code",
                             .redirect = "https://us/callback",
                             .secrets = {"s", "n", "v"},
                             .began_s = 990},
                            [this](const json::Value&) { return lacks_; });
  }
  std::string Told() {
    const auto claims = Redeem();
    return claims.ok() ? *claims : claims.status().message();
  }

  std::int64_t now_s_ = 1000;
  bool lacks_ = false;
  Signer signer_{true};
  FakeProvider network_;
  Provider provider_{{.issuer = kIssuer,
                      .client_id = "us",
                      .client_secret = "a:b c",
                      .now_s = [this] { return now_s_; }},
                     network_};
};

TEST_F(ProviderTest, SendsTheBrowserWithChallengeAndState) {
  // RFC 7636, appendix B.
  const auto address = provider_.SignInAddress(
      {"st", "no", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}, "https://us/cb", "openid email");
  ASSERT_TRUE(address.ok()) << address.status().message();
  EXPECT_EQ(*address,
            "https://id.test/auth?response_type=code&client_id=us&redirect_uri=https%3A%2F%2Fus%2F"
            "cb&scope=openid%20email&state=st&nonce=no&code_challenge="
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256");
  EXPECT_NE(NewSecrets().state, NewSecrets().state);
  EXPECT_EQ(NewSecrets().verifier.size(), 43u);
}

TEST_F(ProviderTest, ChangesACodeForClaims) {
  EXPECT_EQ(Told(), Claims());
  const fetch::HttpRequest& request = network_.requests[1];
  EXPECT_EQ(request.url, "https://id.test/token");
  EXPECT_EQ(request.text,
            "grant_type=authorization_code&code=the%20code&redirect_uri=https%3A%2F%2Fus%2F"
            "callback&code_verifier=v");
  // us:a%3Ab%20c
  EXPECT_EQ(request.headers.back().second, "Basic dXM6YSUzQWIlMjBj");
  EXPECT_GT(request.most_ms, 0);
}

TEST_F(ProviderTest, TheSecretGoesWhereTheProviderTakesIt) {
  network_.pages[kIssuer + "/.well-known/openid-configuration"] = {
      200, Document(R"(,"token_endpoint_auth_methods_supported":["client_secret_post"])")};
  EXPECT_EQ(Told(), Claims());
  EXPECT_THAT(network_.requests[1].text, HasSubstr("&client_id=us&client_secret=a%3Ab%20c"));
  EXPECT_EQ(network_.requests[1].headers.size(), 2u);
}

TEST_F(ProviderTest, ADocumentOfAnotherIssuerOrOfUnsafeAddressesIsNone) {
  const auto told = [](const std::string& json) {
    const auto read = ReadDiscovery(json, kIssuer);
    return read.ok() ? "OK" : read.status().message();
  };
  EXPECT_EQ(told(Document()), "OK");
  EXPECT_THAT(ReadDiscovery(Document(), kIssuer + "/").status().message(),
              HasSubstr("letter by letter"));
  EXPECT_THAT(told("{}"), HasSubstr("issuer"));
  EXPECT_THAT(told(R"({"issuer":"https://id.test"})"), HasSubstr("authorization_endpoint"));
  EXPECT_THAT(told(Document(R"(,"userinfo_endpoint":"http://id.test/me")")), HasSubstr("https://"));
  EXPECT_TRUE(CheckAddress("x", "http://127.0.0.1:80/a").ok());
  EXPECT_TRUE(CheckAddress("x", "http://[::1]:80/a").ok());
  for (const char* wrong : {"http://127.0.0.1.evil.test/", "http://id.test/", "file:///etc/passwd",
                            "https://", "https://a b/", "https://a\r\nb/", "javascript:alert(1)",
                            "http://localhost@evil.test/", "https://a/#x"}) {
    EXPECT_FALSE(CheckAddress("x", wrong).ok()) << wrong;
  }
}

TEST_F(ProviderTest, RefusesForgeries) {
  const Signer other(true);  // with the same id
  Answer(other.Token(Claims()));
  EXPECT_THAT(Told(), HasSubstr("its signature is not the provider's"));
  Answer(Signer::Forged(R"({"alg":"HS256","kid":"k1"})", Claims(), signer_.Jwks()));
  EXPECT_THAT(Told(), HasSubstr("HS256"));
  const std::string good = signer_.Token(Claims());
  Answer(good.substr(0, good.rfind('.')) + ".AAAA");
  EXPECT_THAT(Told(), HasSubstr("signature"));
  Answer(signer_.TokenWith(R"({"alg":"ES256","kid":"k1"})", Claims()));
  EXPECT_THAT(Told(), HasSubstr("none of the provider's 1 keys"));
  Answer(signer_.Token(R"({"iss":"https://id.test","aud":"them"})"));
  EXPECT_THAT(Told(), HasSubstr("(aud)"));
  network_.pages[kIssuer + "/token"] = {200, R"({"access_token":"at"})"};
  EXPECT_THAT(Told(), HasSubstr("no ID token"));
}

TEST_F(ProviderTest, FetchesKeysAnewForOneThatIsNotKnownButNotAllTheTime) {
  EXPECT_EQ(Told(), Claims());
  const Signer next(false, "k2");
  Answer(next.Token(Claims()));
  EXPECT_THAT(Told(), HasSubstr("the key 'k2' for ES256"));
  EXPECT_EQ(network_.CountOf(kIssuer + "/jwks"), 1);
  now_s_ += Provider::kBetweenKeysSeconds;
  EXPECT_THAT(Told(), HasSubstr("'k2'"));
  EXPECT_EQ(network_.CountOf(kIssuer + "/jwks"), 2);
  network_.pages[kIssuer + "/jwks"] = {200, next.Jwks()};
  now_s_ += Provider::kBetweenKeysSeconds;
  EXPECT_EQ(Told(), Claims());
  // Known ones are kept for an hour; then those that the provider took back are none.
  now_s_ += 100;
  EXPECT_EQ(Told(), Claims());
  EXPECT_EQ(network_.CountOf(kIssuer + "/jwks"), 3);
}

TEST_F(ProviderTest, OneThatIsAwayIsAskedOnceInAWhile) {
  network_.pages.clear();
  EXPECT_EQ(Redeem().status().code(), StatusCode::kIo);
  EXPECT_THAT(Told(), AllOf(HasSubstr("https://id.test does not answer"), HasSubstr("refused")));
  EXPECT_EQ(network_.requests.size(), 1u);
  now_s_ += Provider::kBetweenTriesSeconds;
  EXPECT_FALSE(Redeem().ok());
  EXPECT_EQ(network_.requests.size(), 2u);
}

TEST_F(ProviderTest, SaysWhatTheProviderSays) {
  network_.pages[kIssuer + "/token"] = {
      400, R"({"error":"invalid_grant","error_description":"grant\nrequest is invalid"})"};
  EXPECT_EQ(Redeem().status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Told(), AllOf(HasSubstr("invalid_grant (grant request is invalid)"),
                            HasSubstr("sign in again")));
  network_.pages[kIssuer + "/token"] = {401, R"({"error":"invalid_client"})"};
  EXPECT_THAT(Told(), AllOf(HasSubstr("--oidc-client-secret-file"), Not(HasSubstr("a:b"))));
  network_.pages[kIssuer + "/token"] = {502, "<html>"};
  EXPECT_EQ(Redeem().status().code(), StatusCode::kIo);
}

TEST_F(ProviderTest, UserinfoAddsAndChangesNothing) {
  network_.pages[kIssuer + "/.well-known/openid-configuration"] = {
      200, Document(R"(,"userinfo_endpoint":"https://id.test/me")")};
  network_.pages[kIssuer + "/me"] = {200, R"({"sub":"7","iss":"x","groups":["a"]})"};
  EXPECT_THAT(Told(), Not(HasSubstr("groups")));
  lacks_ = true;
  EXPECT_EQ(Told(), Claims(R"(,"groups":["a"])"));
  EXPECT_EQ(network_.requests.back().headers.back().second, "Bearer at");
  network_.pages[kIssuer + "/me"] = {200, R"({"sub":"8","groups":["admins"]})"};
  EXPECT_THAT(Told(), HasSubstr("another person"));
}

TEST_F(ProviderTest, AnAnswerNamesItsProvider) {
  EXPECT_TRUE(provider_.CheckIssuer(std::nullopt).ok());
  EXPECT_TRUE(provider_.CheckIssuer(kIssuer).ok());
  EXPECT_THAT(provider_.CheckIssuer("https://evil.test").message(), HasSubstr("evil.test"));
  network_.pages[kIssuer + "/.well-known/openid-configuration"] = {
      200, Document(R"(,"authorization_response_iss_parameter_supported":true)")};
  now_s_ += Provider::kKeptSeconds;
  EXPECT_THAT(provider_.CheckIssuer(std::nullopt).message(), HasSubstr("(iss)"));
}

}  // namespace
}  // namespace rankscope::oidc
