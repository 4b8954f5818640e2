#include "sim/server/answer_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/reader.h"
#include "sim/server/token_text.h"

namespace rankscope::sim {
namespace {

using testing::ElementsAre;

constexpr std::string_view kBegin = "data: ";

// The events of a stream, without what frames them.
std::vector<std::string> Events(std::string_view text) {
  std::vector<std::string> events;
  while (!text.empty()) {
    const std::size_t end = text.find("\n\n");
    EXPECT_TRUE(text.starts_with(kBegin) && end != std::string_view::npos) << text;
    if (end == std::string_view::npos) break;
    events.emplace_back(text.substr(kBegin.size(), end - kBegin.size()));
    text.remove_prefix(end + 2);
  }
  return events;
}

std::vector<std::string> StreamedAnswer(const AnswerFacts& facts, const RequestRecord& record) {
  AnswerText text(facts);
  std::string events;
  for (std::int64_t i = 0; i < record.output_tokens; ++i) text.AddToken(events);
  text.End(record, events);
  return Events(events);
}

TEST(AnswerText, AStreamHasAChunkForEachTokenAndUsageWhenAsked) {
  const auto events =
      StreamedAnswer({.id = "cmpl-a", .model = "m", .output_tokens = 2, .tells_usage = true},
                     {.prompt_tokens = 5, .output_tokens = 2, .cached_tokens = 1});
  ASSERT_EQ(events.size(), 4U);
  const auto first = json::Reader::Parse(events[0]).value();
  EXPECT_EQ(first.root()["id"].TextOr(""), "cmpl-a");
  EXPECT_EQ(first.root()["choices"].At(0)["text"].TextOr(""), WordOf(0));
  EXPECT_TRUE(first.root()["choices"].At(0)["finish_reason"].IsNull());
  const auto second = json::Reader::Parse(events[1]).value();
  EXPECT_EQ(second.root()["choices"].At(0)["finish_reason"].TextOr(""), "length");
  const auto usage = json::Reader::Parse(events[2]).value();
  EXPECT_TRUE(usage.root()["choices"].Items().empty());
  EXPECT_EQ(usage.root()["usage"].ToString(),
            R"({"prompt_tokens":5,"total_tokens":7,"completion_tokens":2,)"
            R"("prompt_tokens_details":{"cached_tokens":1}})");
  EXPECT_EQ(events[3], "[DONE]");
}

TEST(AnswerText, ChatBeginsWithItsRole) {
  const auto events =
      StreamedAnswer({.kind = CompletionKind::kChat, .output_tokens = 1, .ends_by_itself = true},
                     {.prompt_tokens = 1, .output_tokens = 1});
  ASSERT_EQ(events.size(), 3U);
  const auto role = json::Reader::Parse(events[0]).value();
  EXPECT_EQ(role.root()["choices"].At(0)["delta"]["role"].TextOr(""), "assistant");
  const auto word = json::Reader::Parse(events[1]).value();
  EXPECT_EQ(word.root()["choices"].At(0)["delta"]["content"].TextOr(""), WordOf(0));
  EXPECT_EQ(word.root()["choices"].At(0)["finish_reason"].TextOr(""), "stop");
}

TEST(AnswerText, ChunksOfSeveralTokensLoseNone) {
  const auto events = StreamedAnswer({.output_tokens = 8, .chunk_tokens = 3}, {.output_tokens = 8});
  std::vector<std::size_t> bytes;
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    const auto chunk = json::Reader::Parse(events[i]).value();
    bytes.push_back(chunk.root()["choices"].At(0)["text"].TextOr("").size());
  }
  EXPECT_THAT(bytes, ElementsAre(4, 12, 12, 4));
}

TEST(AnswerText, AWholeAnswerHasTheTextOfTheStream) {
  const AnswerText text({.id = "cmpl-a", .output_tokens = 3, .words_key = 9});
  const auto whole = json::Reader::Parse(text.Whole({.output_tokens = 3})).value();
  const std::string expected = std::string(WordOf(9)).append(WordOf(10)).append(WordOf(11));
  EXPECT_EQ(whole.root()["choices"].At(0)["text"].TextOr(""), expected);
}

TEST(TokenText, ATokenIsFourBytes) {
  EXPECT_EQ(CountTokens(""), 0);
  EXPECT_EQ(CountTokens("four"), 1);
  EXPECT_EQ(CountTokens("five!"), 2);
  EXPECT_EQ(CountTokens(std::string(WordOf(1)).append(WordOf(2))), 2);
}

TEST(TokenText, WhatBeginsTheSameHasTheSameBlocks) {
  const std::string same(128, 'a');
  const auto one = BlockHashes(same + std::string(70, 'b'));
  const auto other = BlockHashes(same + std::string(70, 'c'));
  ASSERT_EQ(one.size(), 3U);
  EXPECT_EQ(one[0], other[0]);
  EXPECT_EQ(one[1], other[1]);
  EXPECT_NE(one[2], other[2]);
  EXPECT_NE(one[0], one[1]);  // the second block stands for both
  EXPECT_EQ(BlockHashes(std::vector<std::int64_t>(47, 1)).size(), 2U);
}

}  // namespace
}  // namespace rankscope::sim
