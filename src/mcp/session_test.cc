#include "mcp/session.h"

#include "mcp/session_for_test.h"

namespace rankscope::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using SessionTest = WithSession;

// The code of an error, 0 of a result.
std::int64_t CodeOf(std::string_view line) {
  const auto read = json::Reader::Parse(line);
  EXPECT_TRUE(read.ok()) << line;
  return read->root()["error"]["code"].IntegerOr(0);
}

TEST_F(SessionTest, NegotiatesTheVersion) {
  const std::pair<std::string, std::string> versions[] = {{"2024-11-05", "2024-11-05"},
                                                          {"2025-03-26", "2025-03-26"},
                                                          {"2025-06-18", "2025-06-18"},
                                                          {"2099-01-01", "2025-06-18"}};
  for (const auto& [asked, given] : versions) {
    Session session(
        {source_, worker_, home_, [this](std::string_view line) { sent_.emplace_back(line); },
         [this] { return now_; }},
        {.program_version = "1.2.3"});
    session.OnLine(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" + asked +
        R"("}})");
    EXPECT_THAT(Last(), HasSubstr(R"("protocolVersion":")" + given + "\""));
    EXPECT_THAT(Last(), HasSubstr(R"("version":"1.2.3")"));
  }
}

TEST_F(SessionTest, InitializeComesFirstAndOnce) {
  Request("1", "ping");
  EXPECT_EQ(Last(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  Request("2", "tools/list");
  EXPECT_EQ(CodeOf(Last()), -32600);
  Request("3", "initialize");
  EXPECT_EQ(CodeOf(Last()), -32602);
  EXPECT_THAT(Last(), HasSubstr("params.protocolVersion"));
  Begin("2025-06-18");
  Request("4", "initialize", R"({"protocolVersion":"2025-06-18"})");
  EXPECT_EQ(CodeOf(Last()), -32600);
}

TEST_F(SessionTest, ListsHaveWhatTheVersionKnows) {
  Begin("2024-11-05");
  Request("1", "tools/list");
  for (const char* name : {"findings", "explain", "table", "query", "whatif", "diff"})
    EXPECT_THAT(Last(), HasSubstr(fmt::format(R"("name":"{}")", name)));
  for (const char* later : {"outputSchema", "annotations", "title"})
    EXPECT_THAT(Last(), Not(HasSubstr(fmt::format(R"("{}":)", later))));
  EXPECT_THAT(Last(), HasSubstr(R"("name":"fix")"));
  Request("2", "resources/list");
  EXPECT_THAT(Last(), HasSubstr(R"("uri":"rankscope://report")"));
  Request("3", "resources/templates/list");
  EXPECT_THAT(Last(), HasSubstr("rankscope://findings/{id}"));
  Request("4", "tools/list", R"({"cursor":"x"})");
  EXPECT_EQ(CodeOf(Last()), -32602);
}

TEST_F(SessionTest, NewVersionsHaveSchemasAndHints) {
  Begin("2025-06-18");
  Request("1", "tools/list");
  for (const char* part : {R"("readOnlyHint":true)", R"("outputSchema":{)", R"("$defs":{)"})
    EXPECT_THAT(Last(), HasSubstr(part));
}

TEST_F(SessionTest, ToolsAnswer) {
  Begin("2025-06-18");
  CallTool("1", "findings");
  EXPECT_THAT(sent_, IsEmpty());
  Work();
  EXPECT_THAT(Last(), HasSubstr(R"("structuredContent":{"headline":"A step takes 1 ms.")"));
  EXPECT_THAT(Last(), HasSubstr(R"("notices":["left out: rank1.json: no trace"])"));
  EXPECT_THAT(Last(), HasSubstr(R"("content":[{"type":"text","text":"{\"headline\")"));
  CallTool("2", "explain", R"({"id":"host-sync"})");
  EXPECT_THAT(Last(), HasSubstr(R"("isError":false)"));
  EXPECT_THAT(Last(), Not(HasSubstr("structuredContent")));
}

TEST_F(SessionTest, OldVersionsHaveTextAlone) {
  Begin("2025-03-26");
  CallTool("1", "table", R"({"name":"steps"})");
  Work();
  EXPECT_THAT(Last(), Not(HasSubstr("structuredContent")));
  EXPECT_THAT(Last(), HasSubstr(R"(\"row_count\":1)"));
}

TEST_F(SessionTest, WhatAToolRefusesIsItsAnswer) {
  Begin("2025-06-18");
  CallTool("1", "table", R"({"name":"none"})");
  Work();
  EXPECT_EQ(Last(), R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",)"
                    R"("text":"there is no 'none'"}],"isError":true}})");
  CallTool("2", "query", R"({"sql":"SELECT 1"})");
  Work();
  EXPECT_THAT(Last(), HasSubstr("out of memory"));
  EXPECT_THAT(Last(), HasSubstr(R"("isError":true)"));
}

TEST_F(SessionTest, WhatDoesNotFitIsRefused) {
  Begin("2025-06-18");
  const auto refused = [&](std::string_view method, std::string_view params) {
    Request("1", method, params);
    EXPECT_EQ(CodeOf(Last()), -32602) << Last();
    return Last();
  };
  EXPECT_THAT(refused("tools/call", "{}"), HasSubstr("params.name: a text is needed"));
  EXPECT_THAT(refused("tools/call", R"({"name":"mend"})"),
              HasSubstr("there is no tool 'mend'; there are findings, explain, table"));
  EXPECT_THAT(refused("tools/call", R"({"name":"query"})"), HasSubstr("sql: is missing"));
  EXPECT_THAT(refused("tools/call", R"({"name":"query","arguments":[]})"),
              HasSubstr("an object is needed"));
  EXPECT_THAT(refused("tools/call", R"({"name":"table","arguments":{"name":"a","limit":1001}})"),
              HasSubstr("params.arguments.limit: a whole number from 1 to 1000 is needed"));
  EXPECT_THAT(refused("tools/call", R"({"name":"table","arguments":{"name":"a","rows":5}})"),
              HasSubstr("is not known here; known are name, filter"));
  EXPECT_THAT(refused("resources/read", "{}"), HasSubstr("params.uri"));
  EXPECT_EQ(source_.asked, 0);
  Request("2", "prompts/list");
  EXPECT_EQ(CodeOf(Last()), -32601);
}

TEST_F(SessionTest, Resources) {
  Begin("2025-06-18");
  Request("1", "resources/read", R"({"uri":"rankscope://report"})");
  Work();
  EXPECT_EQ(Last(), R"({"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"rankscope://report",)"
                    R"("mimeType":"text/markdown","text":"# Report"}]}})");
  Request("2", "resources/read", R"({"uri":"rankscope://findings/host-sync"})");
  EXPECT_THAT(Last(), HasSubstr(R"("mimeType":"text/markdown")"));
  Request("3", "resources/read", R"({"uri":"rankscope://definitions"})");
  EXPECT_THAT(Last(), HasSubstr(R"({\"tables\":[)"));
  for (const char* uri : {"rankscope://definitions/none", "rankscope://findings/", "file:///etc"}) {
    Request("4", "resources/read", fmt::format(R"({{"uri":"{}"}})", uri));
    EXPECT_EQ(CodeOf(Last()), -32002);
    EXPECT_THAT(Last(), HasSubstr(fmt::format(R"("data":{{"uri":"{}"}})", uri)));
  }
}

TEST_F(SessionTest, PingsAreAnsweredWhileACallIsAtWork) {
  Begin("2025-06-18");
  CallTool("1", "table", R"({"name":"steps"})");
  Request("2", "ping");
  EXPECT_THAT(sent_, ElementsAre(R"({"jsonrpc":"2.0","id":2,"result":{}})"));
  EXPECT_FALSE(session_.IsIdle());
  Work();
  EXPECT_EQ(sent_.size(), 2u);
  EXPECT_TRUE(session_.IsIdle());
}

TEST_F(SessionTest, ACancelledCallIsNotAnswered) {
  Begin("2025-06-18");
  CallTool("\"a\"", "table", R"({"name":"steps"})");
  CallTool("2", "table", R"({"name":"steps"})");
  session_.OnLine(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}})");
  // Unknown ones are none of our business.
  for (const char* params : {R"({"requestId":77})", "{}", R"({"requestId":{}})"})
    session_.OnLine(fmt::format(
        R"({{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}})", params));
  Work();
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_THAT(Last(), HasSubstr(R"("id":2,)"));
  EXPECT_EQ(source_.asked, 1);
}

TEST_F(SessionTest, ACallThatIsCancelledAtWorkIsToldSo) {
  Begin("2025-06-18");
  source_.at_work = [this] {
    session_.OnLine(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  };
  CallTool("1", "whatif", R"({"changes":["a"]})");
  Work();
  EXPECT_TRUE(source_.was_stopped);
  EXPECT_THAT(sent_, IsEmpty());
}

TEST_F(SessionTest, TimeIsBounded) {
  Begin("2025-06-18");
  EXPECT_EQ(session_.NextDeadline(), std::nullopt);
  CallTool("1", "table", R"({"name":"steps"})");
  now_ += std::chrono::seconds(4);
  CallTool("2", "table", R"({"name":"steps"})");
  EXPECT_EQ(*session_.NextDeadline() - now_, std::chrono::seconds(6));
  session_.OnTime();
  EXPECT_THAT(sent_, IsEmpty());
  now_ += std::chrono::seconds(6);
  session_.OnTime();
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_THAT(Last(), HasSubstr("took longer than 10 s"));
  EXPECT_THAT(Last(), HasSubstr(R"("isError":true)"));
  Work();
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_THAT(Last(), HasSubstr(R"("id":2,)"));
}

TEST_F(SessionTest, ProgressIsToldToWhoAsks) {
  Begin("2025-06-18");
  Request("1", "tools/call",
          R"({"name":"table","arguments":{"name":"steps"},"_meta":{"progressToken":"t"}})");
  Work();
  ASSERT_EQ(sent_.size(), 4u);
  EXPECT_EQ(sent_[1], R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                      R"({"progressToken":"t","progress":50,"total":100,)"
                      R"("message":"reading 0 of 1 files"}})");
  sent_.clear();
  Request("2", "tools/call",
          R"({"name":"table","arguments":{"name":"steps"},"_meta":{"progressToken":5}})");
  worker_.RunAll();
  session_.OnLine(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  home_.RunAll();
  EXPECT_THAT(sent_, IsEmpty());
}

TEST_F(SessionTest, CallsThatWaitAreBounded) {
  Begin("2025-06-18");
  for (const char* id : {"1", "2", "3", "4"}) CallTool(id, "table", R"({"name":"steps"})");
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(CodeOf(Last()), -32000);
}

TEST_F(SessionTest, AnIdIsOneCallsAtATime) {
  Begin("2025-06-18");
  CallTool("1", "table", R"({"name":"steps"})");
  CallTool("1", "table", R"({"name":"steps"})");
  EXPECT_EQ(CodeOf(Last()), -32600);
  Work();
  CallTool("1", "table", R"({"name":"steps"})");
  Work();
  EXPECT_EQ(sent_.size(), 3u);
}

TEST_F(SessionTest, ABatchIsAnsweredAsOne) {
  Begin("2025-03-26");
  session_.OnLine(
      R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"table",)"
      R"("arguments":{"name":"a"}}},{"jsonrpc":"2.0","id":2,"method":"ping"},7,)"
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"table",)"
      R"("arguments":{"name":"b"}}},{"jsonrpc":"2.0","method":"notifications/cancelled",)"
      R"("params":{"requestId":3}},{"jsonrpc":"2.0","id":4,"method":"initialize"}])");
  EXPECT_THAT(sent_, IsEmpty());
  Work();
  ASSERT_EQ(sent_.size(), 1u);
  const auto answers = json::Reader::Parse(Last());
  ASSERT_TRUE(answers.ok());
  std::vector<std::string> ids;
  for (const json::Value& answer : answers->root().Items()) ids.push_back(answer["id"].ToString());
  EXPECT_THAT(ids, ElementsAre("2", "null", "4", "1"));
}

TEST_F(SessionTest, BatchesOfNotificationsAreNotAnswered) {
  Begin("2025-03-26");
  session_.OnLine(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])");
  EXPECT_THAT(sent_, IsEmpty());
  session_.OnLine("[]");
  EXPECT_EQ(CodeOf(Last()), -32600);
}

TEST_F(SessionTest, OtherVersionsHaveNoBatches) {
  Begin("2025-06-18");
  session_.OnLine(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])");
  EXPECT_EQ(CodeOf(Last()), -32600);
  EXPECT_EQ(sent_.size(), 1u);
}

TEST_F(SessionTest, GoesOnAfterWhatIsNoMessage) {
  Begin("2025-06-18");
  const std::pair<std::string_view, int> lines[] = {{"{", -32700},
                                                    {"\"\xff\"", -32700},
                                                    {std::string_view("\0\0", 2), -32700},
                                                    {"3", -32600},
                                                    {R"({"jsonrpc":"2.0","id":1})", -32600}};
  for (const auto& [line, code] : lines) {
    session_.OnLine(line);
    EXPECT_EQ(CodeOf(Last()), code) << line;
  }
  session_.OnLongLine();
  EXPECT_THAT(Last(), HasSubstr("1048576 bytes at most"));
  EXPECT_EQ(sent_.size(), 6u);
  for (const char* nothing : {"", "  ", R"({"jsonrpc":"2.0","id":1,"result":{}})"})
    session_.OnLine(nothing);
  EXPECT_EQ(sent_.size(), 6u);
  Request("2", "ping");
  EXPECT_EQ(sent_.size(), 7u);
}

}  // namespace
}  // namespace rankscope::mcp
