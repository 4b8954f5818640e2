#include "json_rpc/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::json_rpc {
namespace {

using ::testing::HasSubstr;

using Kind = Message::Kind;

Message Parse(std::string_view line) {
  Result<Messages> messages = ParseMessages(line);
  EXPECT_TRUE(messages.ok()) << line;
  EXPECT_EQ(messages->all.size(), 1u);
  Message message = messages->all.front();
  // Gone with its reader.
  EXPECT_TRUE(message.params.IsAbsent() || message.params.IsObject() ||
              message.kind == Kind::kWrong);
  return message;
}

TEST(Message, Kinds) {
  EXPECT_EQ(Parse(R"({"jsonrpc":"2.0","id":1,"method":"ping"})").kind, Kind::kRequest);
  EXPECT_EQ(Parse(R"({"jsonrpc":"2.0","method":"notifications/initialized","params":{}})").kind,
            Kind::kNotification);
  EXPECT_EQ(Parse(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind, Kind::kAnswer);
  EXPECT_EQ(Parse(R"({"jsonrpc":"2.0","id":1,"error":{}})").kind, Kind::kAnswer);
}

TEST(Message, IdsStayAsTheyAre) {
  EXPECT_EQ(Parse(R"({"jsonrpc":"2.0","id":"a\"b","method":"ping"})").id, R"("a\"b")");
  EXPECT_EQ(Parse(R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"})").id,
            "18446744073709551615");
  EXPECT_EQ(Parse(R"({"jsonrpc":"2.0","id":-7,"method":"ping"})").id, "-7");
}

TEST(Message, SaysWhatIsWrong) {
  const auto problem = [](std::string_view line) {
    const Message message = Parse(line);
    EXPECT_EQ(message.kind, Kind::kWrong) << line;
    return message.problem;
  };
  EXPECT_EQ(problem("3"), "a message is an object");
  EXPECT_THAT(problem(R"({"id":1,"method":"ping"})"), HasSubstr("jsonrpc"));
  EXPECT_THAT(problem(R"({"jsonrpc":2.0,"id":1,"method":"ping"})"), HasSubstr("jsonrpc"));
  EXPECT_EQ(problem(R"({"jsonrpc":"2.0","id":1,"method":7})"), "a method is a text");
  EXPECT_EQ(problem(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"),
            "an id is a text or a number");
  EXPECT_EQ(problem(R"({"jsonrpc":"2.0","id":{},"method":"ping"})"), "an id is a text or a number");
  EXPECT_EQ(problem(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})"),
            "parameters are an object");
  EXPECT_EQ(problem(R"({"jsonrpc":"2.0","id":1})"), "a message has a method, a result or an error");
}

TEST(Message, OneThatIsWrongKeepsItsId) {
  EXPECT_EQ(Parse(R"({"jsonrpc":"2.0","id":9,"method":7})").id, "9");
  EXPECT_EQ(Parse(R"({"jsonrpc":"2.0","id":[],"method":"ping"})").id, "null");
}

TEST(Message, WhatIsNoJson) {
  for (const std::string_view line :
       {std::string_view("{"), std::string_view("no"), std::string_view("\"\xff\""),
        std::string_view("{\0}", 3), std::string_view("{}{}")}) {
    EXPECT_EQ(ParseMessages(line).status().code(), StatusCode::kBadData) << line;
  }
}

TEST(Message, Batches) {
  const auto batch = ParseMessages(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},3])");
  ASSERT_TRUE(batch.ok());
  EXPECT_TRUE(batch->is_batch);
  ASSERT_EQ(batch->all.size(), 2u);
  EXPECT_EQ(batch->all[1].kind, Kind::kWrong);
  EXPECT_EQ(ParseMessages("[]").status().message(), "a batch has 1 to 100 messages");
}

TEST(Reply, IsALine) {
  EXPECT_EQ(Reply::Of("{}").For("\"a\""), R"({"jsonrpc":"2.0","id":"a","result":{}})");
  EXPECT_EQ(Reply::Failure(ErrorCode::kNoMethod, "no \"x\"").For("null"),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no \"x\""}})");
  EXPECT_EQ(Reply::Failure(ErrorCode::kNoResource, "none", R"({"uri":"a"})").For("1"),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"none",)"
            R"("data":{"uri":"a"}}})");
  EXPECT_EQ(Notification("notifications/progress", R"({"progress":1})"),
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}})");
}

}  // namespace
}  // namespace rankscope::json_rpc
