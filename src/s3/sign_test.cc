// The signer against the known answers of AWS's own documentation, and the traps beside them. That
// others take its signatures is what tests/s3_test.py shows, by OpenStack Swift.
#include "s3/sign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "s3/digest.h"

namespace rankscope::s3 {
namespace {

using testing::HasSubstr;

const Credentials kKeys = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
constexpr std::string_view kRegion = "us-east-1";
constexpr std::string_view kHost = "examplebucket.s3.amazonaws.com";
constexpr std::int64_t kNow_s = 1'369'353'600;  // 2013-05-24T00:00:00Z

struct Known {
  const char* about;
  Signable request;
  std::string canonical;  // the SHA-256 of the canonical request
  std::string signature;
};

std::vector<Known> KnownAnswers() {
  const std::string host(kHost), empty(kEmptySha256);
  return {
      {"GetObject with a range",
       {"GET", host, "/test.txt", {}, {{"Range", "bytes=0-9"}}, empty},
       "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972",
       "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
      {"PutObject",
       {"PUT",
        host,
        "/test$file.text",
        {},
        {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
        HexSha256("Welcome to Amazon S3.")},
       "9e0e90d9c76de8fa5b200d8c849cd5b8dc7a3be3951ddb7f6a76b4158342019d",
       "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
      {"a name without a value",
       {"GET", host, "/", {{"lifecycle", ""}}, {}, empty},
       "9766c798316ff2757b517bc739a67f6213b4ab36dd5da2f94eaebf79c77395ca",
       "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
      {"a list",
       {"GET", host, "/", {{"prefix", "J"}, {"max-keys", "2"}}, {}, empty},
       "df57d21db20da04d7fa30298dd4488ba3a2b47ca3a489c74750e0f1e7df1b9b7",
       "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"}};
}

TEST(Sign, KnownAnswers) {
  for (const Known& known : KnownAnswers()) {
    Signable whole = known.request;
    whole.headers.emplace_back("x-amz-date", SigningTime(kNow_s));
    whole.headers.emplace_back("x-amz-content-sha256", known.request.payload);
    EXPECT_EQ(HexSha256(CanonicalRequest(whole)), known.canonical) << known.about;
    const Pairs headers = SignedHeaders(known.request, kKeys, kRegion, kNow_s);
    EXPECT_EQ(headers.back().first, "authorization");
    EXPECT_THAT(headers.back().second, HasSubstr("Signature=" + known.signature)) << known.about;
    EXPECT_THAT(headers.back().second,
                HasSubstr("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"));
  }
}

TEST(Sign, TheKeyOfADay) {
  EXPECT_EQ(Hex(SigningKey(kKeys.secret, "20130524", kRegion)),
            "dbb893acc010964918f1fd433add87c70e8b0db6be30c1fbeafefa5ec6ba8378");
}

TEST(Sign, APresignedAddress) {
  const Signable request{"GET", std::string(kHost), "/test.txt", {}, {}, ""};
  const std::string query = PresignedQuery(request, kKeys, kRegion, kNow_s, 86'400);
  EXPECT_THAT(query, HasSubstr("&X-Amz-Signature="
                               "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"));
  EXPECT_THAT(
      query,
      HasSubstr(
          "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"));
  EXPECT_THAT(query, HasSubstr("X-Amz-Expires=86400&X-Amz-SignedHeaders=host"));
}

// As botocore 1.26 signs it.
TEST(Sign, APresignedAddressToPutTo) {
  const std::string checksum =
      Base64OfHex("44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
  EXPECT_EQ(checksum, "RM591nyVng01JP+sF3Hfu6h9K2tLTpnkIDSouAP4sHI=");
  const Signable request{"PUT",
                         std::string(kHost),
                         "/uploads/a b",
                         {},
                         {{"x-amz-checksum-sha256", checksum}, {"content-length", "21"}},
                         ""};
  const std::string query = PresignedQuery(request, kKeys, kRegion, kNow_s, 3600);
  EXPECT_THAT(query, HasSubstr("&X-Amz-Signature="
                               "9eff67775d26ca646dac83bbc0d48c1006f63f97d5dd446abb0998600404b379"));
  EXPECT_THAT(query, HasSubstr("SignedHeaders=content-length%3Bhost%3Bx-amz-checksum-sha256"));
}

TEST(Sign, PathsAreEncodedOnceAndNotNormalised) {
  EXPECT_EQ(EncodePath("/bucket/a b/day=1/*"), "/bucket/a%20b/day%3D1/%2A");
  EXPECT_EQ(EncodePath("/a/../b//./c"), "/a/../b//./c");
  EXPECT_EQ(EncodePath("/100%25"), "/100%2525");
  EXPECT_EQ(EncodePath("/n\u00e4me~-._+"), "/n%C3%A4me~-._%2B");
  EXPECT_EQ(EncodeQuery("a/b c"), "a%2Fb%20c");
}

TEST(Sign, QueriesAreSortedByWhatIsSent) {
  // By their codes '~' comes after 'a'; encoded, "%" of "/" comes before both.
  EXPECT_EQ(CanonicalQuery({{"b", "2"}, {"a", "9"}, {"a", "10"}, {"uploads", ""}, {"/", ""}}),
            "%2F=&a=10&a=9&b=2&uploads=");
  EXPECT_EQ(CanonicalQuery({}), "");
}

TEST(Sign, HeadersAreTrimmedAndInLowerCase) {
  const Signable request{"GET",
                         "127.0.0.1:9000",
                         "/",
                         {},
                         {{"X-Amz-Meta-Note", "  two   words\t"}, {"Range", "bytes=0-"}},
                         std::string(kEmptySha256)};
  EXPECT_EQ(CanonicalRequest(request),
            "GET\n/\n\nhost:127.0.0.1:9000\nrange:bytes=0-\nx-amz-meta-note:two words\n\n"
            "host;range;x-amz-meta-note\n" +
                std::string(kEmptySha256));
}

TEST(Sign, TemporaryKeysSendTheirToken) {
  Credentials keys = kKeys;
  keys.session_token = "a token";
  const Signable request{"GET", std::string(kHost), "/", {}, {}, std::string(kEmptySha256)};
  const Pairs headers = SignedHeaders(request, keys, kRegion, kNow_s);
  EXPECT_THAT(headers, testing::Contains(testing::Pair("x-amz-security-token", "a token")));
  EXPECT_THAT(headers.back().second,
              HasSubstr("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token"));
  for (const auto& [name, value] : headers)
    EXPECT_THAT(value, testing::Not(HasSubstr("wJalrXUtnFEMI")));
  EXPECT_THAT(PresignedQuery(request, keys, kRegion, kNow_s, 60),
              HasSubstr("X-Amz-Security-Token=a%20token"));
}

TEST(Sign, TheSecretIsInNoText) {
  const Signable request{"GET", std::string(kHost), "/", {}, {}, std::string(kEmptySha256)};
  const std::string text =
      CanonicalRequest(request) + StringToSign("20130524T000000Z", kRegion, "");
  EXPECT_EQ(text.find("wJalr"), std::string::npos);
}

TEST(Digest, OfKnownTexts) {
  EXPECT_EQ(Base64OfHex(""), "");
  EXPECT_EQ(Base64OfHex("666f6f62"), "Zm9vYg==");
  EXPECT_EQ(Base64OfHex("666f6g"), "") << "no digit";
  EXPECT_EQ(HexSha256(""), kEmptySha256);
  EXPECT_EQ(HexSha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // RFC 4231, case 2.
  EXPECT_EQ(Hex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace rankscope::s3
