// The client against a bucket in memory that checks signatures and misbehaves: without a network
// and without time.
#include "s3/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "s3/fake_bucket_for_test.h"

namespace rankscope::s3 {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Text final : public ObjectSink {
 public:
  Status Restart() override {
    ++restarts;
    text.clear();
    return OkStatus();
  }
  Status Write(std::string_view piece) override {
    text += piece;
    return status;
  }
  std::string text;
  int restarts = 0;
  Status status;
};

class ClientTest : public testing::Test {
 protected:
  ClientTest() {
    std::string name = (fs::temp_directory_path() / "rankscope_s3_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ClientTest() override { fs::remove_all(folder_); }

  Client& Open(ClientSettings settings = {}, Credentials keys = kTestKeys) {
    Surroundings surroundings{.now_s = [this] { return now_s_; },
                              .sleep = [this](auto time) { slept_.push_back(time.count()); },
                              .random = [] { return 0.5; }};
    client_ = std::make_unique<Client>(kTestPlace, std::move(keys), bucket_,
                                       std::move(surroundings), settings);
    return *client_;
  }
  std::string File(std::string_view text) const {
    const std::string path = (folder_ / "file").string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  Result<PutResult> Put(Client& client, const std::string& key, std::string_view text) const {
    return client.PutFile(key, File(text), text.size(), HexSha256(text));
  }

  FakeBucket bucket_;
  std::int64_t now_s_ = bucket_.now_s;
  std::vector<std::int64_t> slept_;
  fs::path folder_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, WhatIsPutIsThere) {
  Client& client = Open();
  for (const char* key : {"p/a", "p/a b=c*/d..e/../f", "p/n\u00e4me+%41~", "p/'()!"}) {
    EXPECT_EQ(*Put(client, key, key), PutResult::kStored) << key;
    EXPECT_EQ(*client.GetText(key), key);
    const auto info = client.Head(key);
    ASSERT_TRUE(info.ok()) << info.status().message();
    EXPECT_EQ(info->bytes, std::string(key).size());
    EXPECT_EQ(info->stored_s, now_s_);
    EXPECT_EQ(*Put(client, key, key), PutResult::kWasThere);
    EXPECT_TRUE(client.Delete(key).ok());
    EXPECT_TRUE(client.Delete(key).ok());
    EXPECT_EQ(client.Head(key).status().code(), StatusCode::kNotFound);
    EXPECT_EQ(client.GetText(key).status().code(), StatusCode::kNotFound);
  }
  EXPECT_THAT(slept_, IsEmpty());
  EXPECT_TRUE(Put(client, "empty", "").ok());
  EXPECT_EQ(*client.GetText("empty"), "");
}

TEST_F(ClientTest, ConditionsAreNotNeeded) {
  Client& client = Open();
  bucket_.knows_conditions = false;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(*Put(client, "k", "text"), PutResult::kStored);
  EXPECT_EQ(bucket_.Count("PUT"), 3U);  // it is asked once whether the store knows them
  // Some say that it is there by 304.
  bucket_.before = [](const HttpRequest&) { return FakeBucket::Answer(304); };
  EXPECT_EQ(*Put(Open(), "k", "text"), PutResult::kWasThere);
}

// An answer; status 0 is a connection that breaks.
struct Said {
  int status;
  std::string code;
};

TEST_F(ClientTest, WhatMayPassIsTriedAgain) {
  for (const Said& said : std::vector<Said>{{500, "InternalError"},
                                            {502, ""},
                                            {503, "SlowDown"},
                                            {504, ""},
                                            {429, "TooManyRequests"},
                                            {400, "RequestTimeout"},
                                            {409, "OperationAborted"},
                                            {0, ""}}) {
    Client& client = Open();
    slept_.clear();
    int failures = 4;
    bucket_.before = [&](const HttpRequest&) -> std::optional<Outcome> {
      if (failures-- <= 0) return std::nullopt;
      return said.status == 0 ? FakeBucket::Break() : FakeBucket::Refuse(said.status, said.code);
    };
    EXPECT_TRUE(Put(client, "k", "text").ok()) << said.status;
    // Half of 100 ms, doubled each time.
    EXPECT_THAT(slept_, ElementsAre(50, 100, 200, 400)) << said.status;
  }
}

TEST_F(ClientTest, ItGivesUpAfterFiveTries) {
  Client& client = Open();
  bucket_.before = [](const HttpRequest&) { return FakeBucket::Refuse(503, "SlowDown"); };
  const Status status = client.Head("p/k").status();
  EXPECT_EQ(client.requests(), 5);
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_EQ(status.message(),
            "s3://traces/p/k: HEAD was answered by 503 SlowDown (as told): the store is overloaded "
            "or away: try again later");
  bucket_.before = [](const HttpRequest&) { return FakeBucket::Break(); };
  EXPECT_THAT(Open().Head("p/k").status().message(),
              AllOf(HasSubstr("s3://traces/p/k: http://store.test:9000 does not answer (connection "
                              "reset)"),
                    HasSubstr("--s3-endpoint")));
}

TEST_F(ClientTest, WhatCannotPassIsNotTriedAgain) {
  for (const Said& said : std::vector<Said>{{400, "InvalidArgument"},
                                            {403, "AccessDenied"},
                                            {403, "SignatureDoesNotMatch"},
                                            {404, "NoSuchBucket"},
                                            {301, "PermanentRedirect"},
                                            {405, ""},
                                            {200, ""}}) {
    Client& client = Open();
    bucket_.before = [&](const HttpRequest&) { return FakeBucket::Refuse(said.status, said.code); };
    const Status status = client.ForEach("p/", [](const auto&, const auto&) {});
    EXPECT_EQ(status.code(), StatusCode::kIo) << said.status;
    EXPECT_THAT(status.message(), AllOf(HasSubstr("s3://traces"),
                                        AnyOf(HasSubstr("check"), HasSubstr("make the bucket"))))
        << said.status;
    EXPECT_EQ(client.requests(), 1) << said.status;
  }
  EXPECT_THAT(slept_, IsEmpty());
}

TEST_F(ClientTest, RetriesHaveABudget) {
  Client& client = Open({.retry = {.budget = 0.1, .begins_with = 3}});
  bucket_.before = [](const HttpRequest&) { return FakeBucket::Refuse(503, "SlowDown"); };
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(client.Head("k").ok());
  // 100 requests, the 3 retries to begin with, and one for each ten.
  EXPECT_LE(client.requests(), 113);
  EXPECT_GE(client.requests(), 112);
}

TEST_F(ClientTest, NoErrorHasASecret) {
  Credentials keys = kTestKeys;
  keys.session_token = "a-token-that-is-nowhere";
  keys.secret = "another-secret";
  Client& client = Open({}, keys);
  std::vector<std::string> said = {client.GetText("k").status().message(),
                                   Put(client, "k", "x").status().message()};
  bucket_.before = [](const HttpRequest&) { return FakeBucket::Break(); };
  said.push_back(client.GetText("k").status().message());
  for (const std::string& sentence : said) {
    EXPECT_THAT(sentence, AllOf(Not(HasSubstr("secret")), Not(HasSubstr("nowhere")),
                                Not(HasSubstr("AWS4")), HasSubstr("s3://traces/k")));
  }
  EXPECT_THAT(said[0], HasSubstr("403 SignatureDoesNotMatch"));
  EXPECT_THAT(said[0], HasSubstr("AWS_SECRET_ACCESS_KEY"));
}

TEST_F(ClientTest, AClockThatIsWrongIsCorrectedOnce) {
  bucket_.before = [&](const HttpRequest& request) -> std::optional<Outcome> {
    for (const auto& [name, value] : request.headers) {
      if (name == "x-amz-date" && value != SigningTime(bucket_.now_s))
        return request.method == "HEAD" ? FakeBucket::Answer(403)
                                        : FakeBucket::Refuse(403, "RequestTimeTooSkewed");
    }
    return std::nullopt;
  };
  now_s_ = bucket_.now_s + 7200;
  Client& client = Open();
  EXPECT_TRUE(Put(client, "k", "text").ok());
  EXPECT_EQ(client.requests(), 2);
  const auto info = client.Head("k");
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(client.requests(), 3);
  EXPECT_EQ(info->stored_s, now_s_);  // by this machine's clock
  EXPECT_TRUE(Open().Head("k").ok());
  // A store whose word does not help is asked twice, not for ever.
  bucket_.before = [](const HttpRequest&) {
    return FakeBucket::Refuse(403, "RequestTimeTooSkewed");
  };
  Client& other = Open();
  EXPECT_THAT(Put(other, "k", "text").status().message(), HasSubstr("set this machine's clock"));
  EXPECT_EQ(other.requests(), 2);
}

TEST_F(ClientTest, AGetGoesOnWhereItWasCutOff) {
  const std::string text(1000, 'x');
  Client& client = Open();
  ASSERT_TRUE(Put(client, "k", text + "end").ok());
  bucket_.cuts = {400, 0, 300};
  Text sink;
  ASSERT_TRUE(client.Get("k", sink).ok());
  EXPECT_EQ(sink.text, text + "end");
  EXPECT_EQ(sink.restarts, 0);
  EXPECT_EQ(bucket_.Count("GET"), 4U);
  // Cut off behind its last byte.
  int tries = 0;
  bucket_.before = [&](const HttpRequest& request) -> std::optional<Outcome> {
    if (tries++ > 0) return FakeBucket::Refuse(416, "InvalidRange");
    (void)request.on_body("all of it");
    return FakeBucket::Break();
  };
  EXPECT_EQ(*client.GetText("k"), "all of it");
}

TEST_F(ClientTest, AStoreThatKnowsNoRangesSendsAllAgain) {
  Client& client = Open();
  ASSERT_TRUE(Put(client, "k", "0123456789").ok());
  int tries = 0;
  bucket_.before = [&](const HttpRequest& request) -> std::optional<Outcome> {
    (void)request.on_head(200, {});
    (void)request.on_body(tries == 0 ? "01234" : "0123456789");
    return tries++ == 0 ? FakeBucket::Break() : FakeBucket::Answer(200);
  };
  Text sink;
  ASSERT_TRUE(client.Get("k", sink).ok());
  EXPECT_EQ(sink.text, "0123456789");
  EXPECT_EQ(sink.restarts, 1);
}

TEST_F(ClientTest, WhatTheSinkSaysEndsAGet) {
  Client& client = Open();
  ASSERT_TRUE(Put(client, "k", "text").ok());
  Text sink;
  sink.status = Error(StatusCode::kResource, "the disk is full");
  EXPECT_EQ(client.Get("k", sink).code(), StatusCode::kResource);
  EXPECT_EQ(bucket_.Count("GET"), 1U);
}

class PartsTest : public ClientTest {
 protected:
  static constexpr ClientSettings kSettings = {.part_bytes = 10, .parts_at_once = 3};
  const std::string text_ = "0123456789abcdefghij-----";
};

TEST_F(PartsTest, BigFilesGoInParts) {
  Client& client = Open(kSettings);
  EXPECT_EQ(*Put(client, "k", text_), PutResult::kStored);
  EXPECT_EQ(bucket_.objects["k"].bytes, text_);
  EXPECT_EQ(bucket_.Count("PUT /traces/k?partNumber="), 3U);
  EXPECT_THAT(bucket_.uploads, IsEmpty());
}

TEST_F(PartsTest, APartThatFailsIsSentAgain) {
  Client& client = Open(kSettings);
  std::set<std::string> failed;
  bucket_.before = [&](const HttpRequest& request) -> std::optional<Outcome> {
    if (request.method != "PUT" || !failed.insert(request.url).second) return std::nullopt;
    return FakeBucket::Refuse(503, "SlowDown");
  };
  EXPECT_TRUE(Put(client, "k", text_).ok());
  EXPECT_EQ(bucket_.Count("PUT"), 6U);
  EXPECT_EQ(bucket_.objects["k"].bytes, text_);
}

TEST_F(PartsTest, AnUploadThatFailsIsAborted) {
  Client& client = Open(kSettings);
  bucket_.before = [&](const HttpRequest& request) -> std::optional<Outcome> {
    if (request.url.find("partNumber=2") == std::string::npos) return std::nullopt;
    return FakeBucket::Refuse(403, "AccessDenied");
  };
  EXPECT_THAT(Put(client, "k", text_).status().message(), HasSubstr("403 AccessDenied"));
  EXPECT_THAT(bucket_.uploads, IsEmpty());
  EXPECT_EQ(bucket_.Count("DELETE /traces/k?uploadId="), 1U);
  EXPECT_FALSE(bucket_.objects.contains("k"));
}

TEST_F(PartsTest, DoneThatSaysErrorIsAnError) {
  Client& client = Open(kSettings);
  int errors = 2;
  bucket_.before = [&](const HttpRequest& request) -> std::optional<Outcome> {
    const bool completes = request.method == "POST" && !request.text.empty();
    if (!completes || errors-- <= 0) return std::nullopt;
    return FakeBucket::Refuse(200, "InternalError");
  };
  EXPECT_TRUE(Put(client, "k", text_).ok());
  EXPECT_EQ(bucket_.objects["k"].bytes, text_);
  errors = 1000;
  EXPECT_THAT(Put(client, "l", text_).status().message(), HasSubstr("InternalError"));
  EXPECT_FALSE(bucket_.objects.contains("l"));
  EXPECT_THAT(bucket_.uploads, IsEmpty());
}

TEST_F(PartsTest, ADoneWhoseAnswerWasLostIsDone) {
  Client& client = Open(kSettings);
  bool is_lost = false;
  bucket_.before = [&](const HttpRequest& request) -> std::optional<Outcome> {
    const bool completes = request.method == "POST" && !request.text.empty();
    if (!completes || std::exchange(is_lost, true)) return std::nullopt;
    bucket_.objects["k"] = {text_, bucket_.now_s};
    bucket_.uploads.clear();
    return FakeBucket::Break();
  };
  EXPECT_TRUE(Put(client, "k", text_).ok());
  // And where there is no object either it was not.
  is_lost = false;
  bucket_.before = [&](const HttpRequest& request) -> std::optional<Outcome> {
    if (request.method == "POST" && !request.text.empty()) bucket_.uploads.clear();
    return std::nullopt;
  };
  const Status status = Put(client, "l", text_).status();
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_THAT(status.message(), HasSubstr("it has 0 bytes after 25 were sent"));
}

TEST_F(PartsTest, WhatNeverEndedIsAborted) {
  Client& client = Open(kSettings);
  bucket_.uploads.clear();
  bucket_.before = nullptr;
  // Begun an hour apart, never ended.
  const auto begin = [&](const std::string& key) {
    bucket_.before = [&](const HttpRequest& request) -> std::optional<Outcome> {
      if (request.method == "POST" && request.text.empty()) return std::nullopt;
      return FakeBucket::Refuse(403, "AccessDenied");
    };
    EXPECT_FALSE(Put(client, key, text_).ok());
    bucket_.before = nullptr;
  };
  begin("p/old");
  begin("q/old");
  bucket_.now_s += 3600;
  now_s_ += 3600;
  begin("p/new");
  ASSERT_EQ(bucket_.uploads.size(), 3U);
  EXPECT_EQ(*client.AbortBegunBefore("p/", now_s_ - 60), 1);
  EXPECT_EQ(bucket_.uploads.size(), 2U);
}

TEST_F(ClientTest, ListsHavePages) {
  Client& client = Open();
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(client.PutText("p/" + std::to_string(i), "x").ok());
  ASSERT_TRUE(client.PutText("q", "x").ok());
  for (const std::size_t page : {1U, 3U, 7U, 8U}) {
    bucket_.page = page;
    std::vector<std::string> keys;
    ASSERT_TRUE(
        client
            .ForEach("p/", [&](const std::string& key, const ObjectInfo&) { keys.push_back(key); })
            .ok());
    EXPECT_THAT(keys, ElementsAre("p/0", "p/1", "p/2", "p/3", "p/4", "p/5", "p/6")) << page;
  }
  bucket_.before = [](const HttpRequest&) { return FakeBucket::Answer(200, "<html>login</html>"); };
  const Status status = client.ForEach("p/", [](const auto&, const auto&) {});
  EXPECT_THAT(status.message(), HasSubstr("its list cannot be read"));
}

TEST_F(ClientTest, TouchMakesItNew) {
  Client& client = Open();
  ASSERT_TRUE(Put(client, "p/a b", "text").ok());
  bucket_.now_s += 3600;
  now_s_ += 3600;
  EXPECT_TRUE(client.Touch("p/a b").ok());
  EXPECT_EQ(client.Head("p/a b")->stored_s, now_s_);
  EXPECT_EQ(client.Touch("p/none").code(), StatusCode::kNotFound);
}

TEST(Retry, WhatMayPass) {
  for (const int status : {429, 500, 502, 503, 504}) EXPECT_TRUE(MayPass(status, "")) << status;
  for (const int status : {200, 400, 403, 404, 412, 501, 505})
    EXPECT_FALSE(MayPass(status, "")) << status;
  EXPECT_TRUE(MayPass(400, "RequestTimeout"));
}

TEST(Retry, DelaysAreBounded) {
  const RetrySettings settings;
  EXPECT_EQ(Delay(settings, 0, 0.5).count(), 50);
  EXPECT_EQ(Delay(settings, 3, 1.0).count(), 800);
  EXPECT_EQ(Delay(settings, 1000, 1.0).count(), 20'000);
  EXPECT_EQ(Delay(settings, 3, 0).count(), 0);
}

Environment With(std::map<std::string, std::string> variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Places, AreRead) {
  const auto place = ParsePlace("s3://traces/a/b/", "", "", With({}));
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(*place, (Place{"traces", "a/b", "", "us-east-1"}));
  EXPECT_EQ(place->Text(), "s3://traces/a/b");
  EXPECT_EQ(place->Key("x"), "a/b/x");
  EXPECT_EQ(ParsePlace("s3://traces", "", "", With({}))->Key("x"), "x");
  const auto ours = ParsePlace("s3://traces/p", "http://127.0.0.1:9000/", "garage", With({}));
  ASSERT_TRUE(ours.ok());
  EXPECT_EQ(ours->endpoint, "http://127.0.0.1:9000");
  const auto from =
      ParsePlace("s3://traces", "", "",
                 With({{"AWS_ENDPOINT_URL", "https://s3.example"}, {"AWS_REGION", "r"}}));
  EXPECT_EQ(*from, (Place{"traces", "", "https://s3.example", "r"}));
  for (const char* text : {"", "traces", "s3://", "s3:///p", "s3://UPPER/p", "s3://a/p",
                           "s3://tra_ces", "s3://traces/a b", "https://traces/p", "s3://-ab/"})
    EXPECT_EQ(ParsePlace(text, "", "", With({})).status().code(), StatusCode::kInvalidArgument)
        << text;
  for (const char* endpoint : {"127.0.0.1:9000", "ftp://x", "http://", "http://u:p@host",
                               "http://host/path", "http://ho st"})
    EXPECT_FALSE(ParsePlace("s3://traces", endpoint, "", With({})).ok()) << endpoint;
  EXPECT_FALSE(ParsePlace("s3://traces", "", "a/b", With({})).ok());
}

TEST(Places, HaveAddresses) {
  const auto host = [](const Place& place) {
    const BaseAddress address = AddressOf(place);
    return address.scheme + "://" + address.host + address.path_prefix;
  };
  EXPECT_EQ(host({"traces", "", "", "eu-west-1"}), "https://traces.s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(host({"tra.ces", "", "", "eu-west-1"}), "https://s3.eu-west-1.amazonaws.com/tra.ces");
  EXPECT_EQ(host({"traces", "", "http://h:80", "r"}), "http://h/traces");
  EXPECT_EQ(host({"traces", "", "http://h:8080", "r"}), "http://h:8080/traces");
  EXPECT_EQ(host({"traces", "", "https://h:443", "r"}), "https://h/traces");
}

TEST(Places, NeedKeys) {
  EXPECT_THAT(CredentialsOf(With({})).status().message(), HasSubstr("AWS_ACCESS_KEY_ID"));
  EXPECT_FALSE(CredentialsOf(With({{"AWS_ACCESS_KEY_ID", "a"}})).ok());
  const auto keys =
      CredentialsOf(With({{"AWS_ACCESS_KEY_ID", "a"}, {"AWS_SECRET_ACCESS_KEY", "b c"}}));
  ASSERT_TRUE(keys.ok());
  EXPECT_EQ(keys->secret, "b c");
  // What would begin another line of a request.
  const Status bad =
      CredentialsOf(With({{"AWS_ACCESS_KEY_ID", "a\r\nx: y"}, {"AWS_SECRET_ACCESS_KEY", "b"}}))
          .status();
  EXPECT_FALSE(bad.ok());
  EXPECT_THAT(bad.message(), Not(HasSubstr("x: y")));
}

}  // namespace
}  // namespace rankscope::s3
