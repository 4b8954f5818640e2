#include "sim/server/completion_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::sim {
namespace {

using testing::HasSubstr;

CompletionRequest Parse(std::string_view body, CompletionKind kind = CompletionKind::kText) {
  return ParseCompletion(body, kind).value();
}
std::string RefusalCompletionRequest(std::string_view body,
                                     CompletionKind kind = CompletionKind::kText) {
  return ParseCompletion(body, kind).status().message();
}

TEST(CompletionRequest, APromptIsATextOrTokenIds) {
  EXPECT_EQ(Parse(R"({"prompt":"12345678"})").prompt_tokens, 2);
  EXPECT_EQ(Parse(R"({"prompt":[5,6,7]})").prompt_tokens, 3);
  EXPECT_EQ(Parse(R"({"prompt":["1234"]})").prompt_tokens, 1);
  EXPECT_EQ(Parse(R"({"prompt":[[5,6]]})").prompt_tokens, 2);
  EXPECT_EQ(Parse(R"({"prompt":""})").prompt_tokens, 0);
}

TEST(CompletionRequest, AConversationIsTheTextOfItsMessages) {
  const auto request = Parse(
      R"({"messages":[{"role":"user","content":"hello"},
                      {"role":"user","content":[{"type":"text","text":"you"}]}]})",
      CompletionKind::kChat);
  EXPECT_EQ(request.prompt_tokens, 5);  // "user\nhello\nuser\nyou\n" has 20 bytes
}

TEST(CompletionRequest, OptionsAreRead) {
  const auto request = Parse(
      R"({"prompt":"a","model":"m","max_tokens":7,"ignore_eos":true,"stream":true,"n":1,
          "temperature":0.5,"stream_options":{"include_usage":true}})");
  EXPECT_EQ(request.model, "m");
  EXPECT_EQ(request.max_tokens, 7);
  EXPECT_TRUE(request.ignores_eos && request.streams && request.tells_usage);
  EXPECT_EQ(Parse(R"({"prompt":"a","max_tokens":null})").max_tokens, std::nullopt);
}

TEST(CompletionRequest, WhatIsNoneIsRefusedInASentence) {
  EXPECT_THAT(RefusalCompletionRequest("{"), Not(HasSubstr("\n")));
  EXPECT_THAT(RefusalCompletionRequest("[]"), HasSubstr("an object is needed"));
  EXPECT_THAT(RefusalCompletionRequest("{}"),
              HasSubstr("prompt: a text or a list of token ids is needed"));
  EXPECT_THAT(RefusalCompletionRequest(R"({"prompt":["a","b"]})"),
              HasSubstr("one prompt at a time"));
  EXPECT_THAT(RefusalCompletionRequest(R"({"prompt":[1,"b"]})"), HasSubstr("prompt[1]"));
  EXPECT_THAT(RefusalCompletionRequest(R"({"prompt":"a","max_tokens":0})"),
              HasSubstr("max_tokens"));
  EXPECT_THAT(RefusalCompletionRequest(R"({"prompt":"a","n":2})"), HasSubstr("n: "));
  EXPECT_THAT(RefusalCompletionRequest(R"({"prompt":"a","stream":"yes"})"), HasSubstr("stream: "));
  EXPECT_THAT(RefusalCompletionRequest(R"({"messages":"a"})", CompletionKind::kChat),
              HasSubstr("messages"));
}

// Lists in lists, as deep as the reader takes them.
TEST(CompletionRequest, DeepPromptsEnd) {
  std::string body = R"({"prompt":)" + std::string(500, '[') + "1" + std::string(500, ']') + "}";
  EXPECT_EQ(Parse(body).prompt_tokens, 1);
}

}  // namespace
}  // namespace rankscope::sim
