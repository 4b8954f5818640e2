#include "service/requests/api.h"
#include "base/letter_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/requests/reply.h"

namespace rankscope::service {
namespace {

using ::testing::HasSubstr;

http::Reply Greet(const std::string& greeting, const Call& call) {
  return JsonReply(200, fmt::format("\"{} {}\"", greeting, call.arguments[0]));
}

class ApiTest : public ::testing::Test {
 protected:
  ApiTest() {
    routes_.Add({{.method = "GET", .pattern = "/greet/{name}", .answer = With(Greet, greeting_)}});
  }

  FindRoute Counting() {
    return [this](std::string_view method, std::string_view path) {
      ++lookups_;
      return routes_.Find(method, path);
    };
  }
  // As the server does it: begins, lets it finish, and is told.
  http::Reply Ask(std::string method, std::string path) {
    const http::Head head{.method = std::move(method),
                          .path = std::move(path),
                          .query = {},
                          .fields = {{"host", "localhost"}},
                          .peer = "",
                          .client = {}};
    auto begun = api_.Begin(head);
    http::Served served{.head = &head};
    http::Reply reply;
    if (auto* exchange = std::get_if<std::unique_ptr<http::Exchange>>(&begun)) {
      served.topic = (*exchange)->topic();
      reply = (*exchange)->Finish(true);
    } else {
      reply = std::move(std::get<http::Reply>(begun));
      served.topic = reply.topic;
    }
    served.status = reply.status;
    api_.OnServed(served);
    return reply;
  }

  const std::string greeting_ = "hello";
  RouteTable routes_;
  Access access_ = Access::Open([] { return 0; });
  Numbers numbers_;
  int lookups_ = 0;
  Api api_{Counting(), access_, numbers_, {}};
};

TEST_F(ApiTest, GivesAHandlerItsCollaboratorsAndArguments) {
  const http::Reply reply = Ask("GET", "/greet/world");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(std::get<std::string>(reply.body), "\"hello world\"");
}

TEST_F(ApiTest, MatchesARequestOnce) {
  Ask("GET", "/greet/world");
  EXPECT_EQ(lookups_, 1);
  Ask("HEAD", "/greet/world");
  Ask("PUT", "/greet/world");
  Ask("GET", "/nothing");
  EXPECT_EQ(lookups_, 4);
}

TEST_F(ApiTest, CountsRequestsByTheirRoute) {
  Ask("GET", "/greet/a");
  Ask("GET", "/greet/b");
  EXPECT_EQ(Ask("PUT", "/greet/a").status, 405);
  EXPECT_EQ(Ask("GET", "/nothing").status, 404);
  const std::string text = numbers_.Text();
  EXPECT_THAT(text, HasSubstr(R"(requests_total{route="/greet/{name}",status="200"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(requests_total{route="other",status="404"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(requests_total{route="other",status="405"} 1)"));
}

TEST_F(ApiTest, CountsWhatItRefusesByItsRoute) {
  const http::Head head{.method = "GET",
                        .path = "/greet/world",
                        .query = {},
                        .fields = {{"host", "elsewhere.org"}},
                        .peer = "",
                        .client = {}};
  Api strict(Counting(), access_, numbers_, {.hosts = {"localhost"}});
  const auto begun = strict.Begin(head);
  const auto& reply = std::get<http::Reply>(begun);
  EXPECT_EQ(reply.status, 421);
  EXPECT_EQ(reply.topic, "/greet/{name}");
}

TEST_F(ApiTest, NamesOfHostsAreOneInAllLetters) {
  Api strict(Counting(), access_, numbers_, {.hosts = {"localhost", "[::1]"}});
  for (const char* host : {"localhost", "LocalHost:8723", "[::1]:8723", "[::1]"}) {
    const http::Head head{.method = "PUT",
                          .path = "/greet/world",
                          .query = {},
                          .fields = {{"host", host}, {"origin", "http://" + LowerCase(host)}},
                          .peer = "",
                          .client = {}};
    const auto begun = strict.Begin(head);
    EXPECT_EQ(std::get<http::Reply>(begun).status, 405) << host;
  }
}

}  // namespace
}  // namespace rankscope::service
