#include "oidc/id_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oidc/signer_for_test.h"

namespace rankscope::oidc {
namespace {

using ::testing::HasSubstr;

// RFC 7515, appendices A.2 and A.3.
constexpr std::string_view kPayload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl"
    "fQ";
constexpr std::string_view kRsaKeys =
    R"({"keys":[{"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}]})";
constexpr std::string_view kRsaSignature =
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_"
    "lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_"
    "nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-"
    "eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0ig"
    "cN_IoypGlUPQGe77Rw";
constexpr std::string_view kEcKeys =
    R"({"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})";
constexpr std::string_view kEcSignature =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

bool IsSignedBy(std::string_view keys, const std::string& text) {
  const auto token = IdToken::Parse(text);
  EXPECT_TRUE(token.ok()) << token.status().message();
  const auto set = KeySet::Parse(keys);
  EXPECT_TRUE(set.ok()) << set.status().message();
  const Key* const key = set->Find(token->key_id, token->algorithm);
  return key != nullptr && key->Verifies(token->algorithm, token->signed_text, token->signature);
}

TEST(IdToken, SignaturesOfTheRfc) {
  const std::string rsa = fmt::format("eyJhbGciOiJSUzI1NiJ9.{}.{}", kPayload, kRsaSignature);
  const std::string ec = fmt::format("eyJhbGciOiJFUzI1NiJ9.{}.{}", kPayload, kEcSignature);
  EXPECT_TRUE(IsSignedBy(kRsaKeys, rsa));
  EXPECT_TRUE(IsSignedBy(kEcKeys, ec));
  EXPECT_FALSE(IsSignedBy(kEcKeys, rsa));  // of another kind
  EXPECT_FALSE(IsSignedBy(kRsaKeys, ec));
  // Another payload, another signature.
  std::string changed = rsa;
  changed[30] = changed[30] == 'a' ? 'b' : 'a';
  const auto parsed = IdToken::Parse(changed);
  EXPECT_TRUE(!parsed.ok() || !IsSignedBy(kRsaKeys, changed));
  std::string other = ec;
  other[other.size() - 10] = other[other.size() - 10] == 'a' ? 'b' : 'a';
  EXPECT_FALSE(IsSignedBy(kEcKeys, other));
  EXPECT_EQ(IdToken::Parse(rsa)->claims,
            "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}");
}

TEST(KeySet, TakesTheKeysOfTheRfc) {
  // RFC 7517, appendix A.1: the first is for encryption.
  const auto set = KeySet::Parse(
      R"({"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"enc","kid":"1"},)"
      R"({"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}]})");
  ASSERT_TRUE(set.ok()) << set.status().message();
  ASSERT_EQ(set->keys().size(), 1u);
  EXPECT_NE(set->Find("2011-04-29", Algorithm::kRs256), nullptr);
  EXPECT_NE(set->Find("", Algorithm::kRs256), nullptr);
  EXPECT_EQ(set->Find("2011-04-29", Algorithm::kPs256), nullptr);  // it is for RS256 alone
  EXPECT_EQ(set->Find("1", Algorithm::kEs256), nullptr);
}

TEST(KeySet, LeavesOutWhatIsNotSafe) {
  const auto count = [](const std::string& key) {
    const auto set = KeySet::Parse("{\"keys\":[" + key + "]}");
    return set.ok() ? static_cast<int>(set->keys().size()) : -1;
  };
  EXPECT_EQ(count(R"({"kty":"oct","k":"AAAA"})"), 0);
  EXPECT_EQ(count(R"({"kty":"RSA","n":"AQAB","e":"AQAB"})"), 0);                            // small
  EXPECT_EQ(count(R"({"kty":"RSA","n":")" + std::string(344, '_') + R"(","e":"AQ"})"), 0);  // e = 1
  EXPECT_EQ(count(R"({"kty":"RSA","n":")" + std::string(4096, '_') + R"(","e":"AQAB"})"), 0);
  // Not on the curve.
  EXPECT_EQ(count(R"({"kty":"EC","crv":"P-256","x":")" + std::string(42, 'A') + "E\",\"y\":\"" +
                  std::string(42, 'A') + "E\"}"),
            0);
  EXPECT_EQ(count(Signer(true).Jwk()), 1);
  EXPECT_EQ(count(Signer(false).Jwk()), 1);
  EXPECT_EQ(count("7"), 0);
  EXPECT_EQ(KeySet::Parse("{}").status().code(), StatusCode::kBadData);
  EXPECT_EQ(KeySet::Parse("[").status().code(), StatusCode::kBadData);
}

TEST(KeySet, WithoutAnIdItIsTheOnlyOne) {
  const Signer one(true, "a");
  const Signer two(true, "b");
  const auto both = KeySet::Parse("{\"keys\":[" + one.Jwk() + "," + two.Jwk() + "]}");
  EXPECT_EQ(both->Find("", Algorithm::kRs256), nullptr);
  EXPECT_NE(both->Find("b", Algorithm::kRs256), nullptr);
  EXPECT_EQ(both->Find("c", Algorithm::kRs256), nullptr);
}

TEST(IdToken, TakesPssWhoseSaltIsAsLongAsTheHash) {
  const Signer signer(true);
  EXPECT_TRUE(IsSignedBy(signer.Jwks(), signer.TokenWith(R"({"alg":"PS256"})", "{}")));
  // The same signature is none of RS256.
  EXPECT_TRUE(IsSignedBy(signer.Jwks(), signer.Token("{}")));
  EXPECT_FALSE(IsSignedBy(Signer(true).Jwks(), signer.Token("{}")));
  EXPECT_TRUE(IsSignedBy(Signer(false, "k").Jwks().empty() ? "" : signer.Jwks(),
                         signer.TokenWith(R"({"alg":"RS256","typ":"jwt"})", "{}")));
}

std::string Problem(const std::string& token) {
  const auto parsed = IdToken::Parse(token);
  return parsed.ok() ? "" : parsed.status().message();
}

TEST(IdToken, RefusesWhatIsNone) {
  const Signer signer(true);
  const std::string claims = ToBase64Url("{}");
  EXPECT_THAT(Problem(""), HasSubstr("three parts"));
  EXPECT_THAT(Problem("a.b"), HasSubstr("three parts"));
  EXPECT_THAT(Problem("a.b.c.d.e"), HasSubstr("three parts"));
  EXPECT_THAT(Problem(std::string(100'000, 'a')), HasSubstr("65536"));
  EXPECT_THAT(Problem(ToBase64Url(R"({"alg":"none"})") + "." + claims + "."),
              HasSubstr("signed by 'none'"));
  EXPECT_THAT(Problem(Signer::Forged(R"({"alg":"HS256"})", "{}", signer.Jwks())),
              HasSubstr("signed by 'HS256'"));
  EXPECT_THAT(Problem(signer.TokenWith(R"({"alg":"rs256"})", "{}")), HasSubstr("'rs256'"));
  EXPECT_THAT(Problem(signer.TokenWith(R"({"alg":["RS256"]})", "{}")), HasSubstr("signed by ''"));
  EXPECT_THAT(Problem(signer.TokenWith(R"({"alg":"RS256","alg":"none"})", "{}")),
              HasSubstr("'alg' twice"));
  EXPECT_THAT(Problem(signer.TokenWith(R"({"alg":"RS256","crit":["exp"]})", "{}")),
              HasSubstr("crit"));
  EXPECT_THAT(Problem(signer.TokenWith(R"({"alg":"RS256","typ":"at+jwt"})", "{}")),
              HasSubstr("at+jwt"));
  EXPECT_THAT(Problem(signer.TokenWith(R"({"alg":"RS256","kid":7})", "{}")), HasSubstr("kid"));
  EXPECT_THAT(Problem(signer.Token(R"({"iss":"a","iss":"b"})")), HasSubstr("'iss' twice"));
  EXPECT_THAT(Problem(signer.Token("[]")), HasSubstr("payload"));
  EXPECT_THAT(Problem(signer.TokenWith("[1]", "{}")), HasSubstr("header"));
}

class ClaimsTest : public ::testing::Test {
 protected:
  std::string Told(const std::string& claims) const {
    const auto reader = json::Reader::Parse(claims);
    EXPECT_TRUE(reader.ok()) << claims;
    const Status status = CheckClaims(reader->root(), expected_);
    return status.ok() ? "OK" : status.message();
  }
  // Sound claims, with one in place of another.
  static std::string With(const std::string& name, const std::string& value) {
    const std::pair<std::string, std::string> sound[] = {
        {"iss", "\"https://id\""}, {"aud", "\"us\""}, {"exp", "2000"},
        {"iat", "1000"},           {"sub", "\"7\""},  {"nonce", "\"n\""}};
    std::string text;
    bool is_there = false;
    for (const auto& [known, usual] : sound) {
      is_there = is_there || known == name;
      const std::string& one = known == name ? value : usual;
      if (!one.empty()) text += (text.empty() ? "\"" : ",\"") + known + "\":" + one;
    }
    if (!is_there) text += ",\"" + name + "\":" + value;
    return "{" + text + "}";
  }
  const Expected expected_ = {.issuer = "https://id",
                              .client_id = "us",
                              .nonce = "n",
                              .began_s = 990,
                              .now_s = 1000,
                              .skew_s = 100};
};

TEST_F(ClaimsTest, AreSound) {
  EXPECT_EQ(Told(With("aud", "\"us\"")), "OK");
  EXPECT_EQ(Told(With("aud", "[\"us\"]")), "OK");
  EXPECT_EQ(Told(With("azp", "\"us\"")), "OK");
  EXPECT_EQ(Told(With("exp", "901")), "OK");
  EXPECT_EQ(Told(With("iat", "1100")), "OK");
  EXPECT_EQ(Told(With("iat", "999.5")), "OK");
  EXPECT_EQ(Told(With("nbf", "1100")), "OK");
}

TEST_F(ClaimsTest, AreRefused) {
  EXPECT_THAT(Told(With("iss", "\"https://id/\"")), HasSubstr("(iss)"));
  EXPECT_THAT(Told(With("iss", "")), HasSubstr("nobody"));
  EXPECT_THAT(Told(With("aud", "\"them\"")), HasSubstr("(aud)"));
  EXPECT_THAT(Told(With("aud", "[]")), HasSubstr("(aud)"));
  EXPECT_THAT(Told(With("aud", "")), HasSubstr("nobody (aud)"));
  EXPECT_THAT(Told(With("aud", "[\"us\",\"them\"]")), HasSubstr("(azp)"));
  EXPECT_THAT(Told(With("azp", "\"them\"")), HasSubstr("'them' asked"));
  EXPECT_THAT(Told(With("exp", "900")), HasSubstr("expired 100 s ago"));
  EXPECT_THAT(Told(With("exp", "\"2000\"")), HasSubstr("(exp)"));
  EXPECT_THAT(Told(With("exp", "")), HasSubstr("(exp)"));
  EXPECT_THAT(Told(With("iat", "1101")), HasSubstr("in the future"));
  EXPECT_THAT(Told(With("iat", "889")), HasSubstr("before this sign-in"));
  EXPECT_THAT(Told(With("iat", "")), HasSubstr("(iat)"));
  EXPECT_THAT(Told(With("nbf", "1101")), HasSubstr("(nbf)"));
  EXPECT_THAT(Told(With("nbf", "\"x\"")), HasSubstr("(nbf)"));
  EXPECT_THAT(Told(With("nonce", "\"m\"")), HasSubstr("(nonce)"));
  EXPECT_THAT(Told(With("nonce", "")), HasSubstr("(nonce)"));
  EXPECT_THAT(Told(With("sub", "\"\"")), HasSubstr("(sub)"));
}

TEST(Shown, IsOneLineOfBoundedLength) {
  EXPECT_EQ(Shown("a\nb\x1b[0m"), "a b [0m");
  EXPECT_EQ(Shown("abcdef", 3), "abc...");
  EXPECT_EQ(Shown("ab\xc3\xa4", 3), "ab...");
  EXPECT_EQ(Shown("\xff"), "(no UTF-8)");
}

}  // namespace
}  // namespace rankscope::oidc
