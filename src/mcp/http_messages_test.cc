#include "mcp/http_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/session_for_test.h"

namespace rankscope::mcp {
namespace {

using ::testing::HasSubstr;

class HttpMessages : public ::testing::Test {
 protected:
  HttpAnswer Post(std::string_view body, std::string_view version = "") {
    return AnswerHttp(source_, body, version, {.program_version = "1.2.3"});
  }
  FakeSource source_;
};

TEST_F(HttpMessages, NeedNoSessionBefore) {
  const HttpAnswer hello = Post(
      R"({"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})");
  EXPECT_EQ(hello.status, 200);
  EXPECT_THAT(hello.body, HasSubstr(R"("id":7)"));
  EXPECT_THAT(hello.body, HasSubstr(R"("protocolVersion":"2025-06-18")"));
  const HttpAnswer called =
      Post(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"findings"}})",
           "2025-06-18");
  EXPECT_EQ(called.status, 200);
  EXPECT_THAT(called.body, HasSubstr("A step takes 1 ms."));
  EXPECT_THAT(called.body, HasSubstr("structuredContent"));
}

TEST_F(HttpMessages, AreInTheVersionThatTheRequestStates) {
  constexpr std::string_view kCall =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"findings"}})";
  EXPECT_THAT(Post(kCall, "2024-11-05").body, Not(HasSubstr("structuredContent")));
  EXPECT_THAT(Post(kCall).body, Not(HasSubstr("structuredContent"))) << "2025-03-26";
  const HttpAnswer unknown = Post(kCall, "1999-01-01");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_THAT(unknown.body, HasSubstr("1999-01-01"));
  EXPECT_EQ(source_.asked, 0);
}

TEST_F(HttpMessages, ThatAskNothingAreTaken) {
  for (const char* body : {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                           R"({"jsonrpc":"2.0","id":1,"result":{}})"}) {
    const HttpAnswer answer = Post(body);
    EXPECT_EQ(answer.status, 202) << body;
    EXPECT_EQ(answer.body, "") << body;
  }
}

TEST_F(HttpMessages, ThatAreNoneAreRefused) {
  for (const auto& [body, code] : {std::pair("{", "-32700"), std::pair("", "-32700"),
                                   std::pair("[]", "-32600"), std::pair("\xff", "-32700")}) {
    const HttpAnswer answer = Post(body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_THAT(answer.body, HasSubstr(code)) << body;
  }
}

TEST_F(HttpMessages, OfABatchAreAnsweredTogether) {
  const HttpAnswer answer = Post(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},
      {"jsonrpc":"2.0","id":2,"method":"tools/call",
       "params":{"name":"table","arguments":{"name":"step_times"},"_meta":{"progressToken":5}}}])");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, ::testing::StartsWith("["));
  EXPECT_THAT(answer.body, HasSubstr(R"("id":2)"));
  EXPECT_THAT(answer.body, Not(HasSubstr("notifications/progress")));
}

}  // namespace
}  // namespace rankscope::mcp
