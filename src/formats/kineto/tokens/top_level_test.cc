#include "formats/kineto/tokens/top_level.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace rankscope::kineto {
namespace {

using State = TopLevel::State;
using Values = std::vector<std::pair<std::string, std::string>>;

struct TopLevelOutcome {
  State state = State::kBegin;
  Values values;
  int event_lists = 0;
  std::vector<std::int64_t> list_places;  // one past each opening bracket
  bool is_array = false;
  std::vector<QualityEntry> problems;
};

// Feeds `text` in pieces of `step` bytes; the lists of events of these tests are empty: "[]".
TopLevelOutcome Read(std::string_view text, std::size_t step) {
  TopLevel top;
  QualityLog log;
  TopLevelOutcome outcome;
  std::size_t at = 0;
  while (at < text.size()) {
    at += top.Read(text.substr(at, step), static_cast<std::int64_t>(at), log);
    if (top.state() != State::kEvents) continue;
    ++outcome.event_lists;
    outcome.list_places.push_back(static_cast<std::int64_t>(at));
    top.LeaveEvents();
    ++at;
  }
  outcome.state = top.state();
  outcome.values = top.values();
  outcome.is_array = top.is_array();
  outcome.problems = log.TakeSorted();
  EXPECT_EQ(top.saw_events(), outcome.event_lists > 0);
  return outcome;
}

// Whole and byte by byte must be the same.
TopLevelOutcome ReadBothWays(std::string_view text) {
  TopLevelOutcome whole = Read(text, text.size() + 1);
  for (const std::size_t step : {1, 2, 3, 7}) {
    const TopLevelOutcome pieces = Read(text, step);
    EXPECT_EQ(pieces.state, whole.state) << text;
    EXPECT_EQ(pieces.values, whole.values) << text;
    EXPECT_EQ(pieces.list_places, whole.list_places) << text;
    EXPECT_EQ(pieces.problems.size(), whole.problems.size()) << text;
    for (std::size_t i = 0; i < pieces.problems.size() && i < whole.problems.size(); ++i)
      EXPECT_EQ(pieces.problems[i].byte, whole.problems[i].byte) << text;
  }
  return whole;
}

TEST(TopLevel, KeysAroundTheEvents) {
  const TopLevelOutcome outcome = ReadBothWays(
      R"({"schemaVersion": 1, "a":{"b":[1,"}"]} ,"traceEvents":[],"name":"x\"y", "t":true,"l":[[]]})"
      "\n");
  EXPECT_EQ(outcome.state, State::kEnd);
  EXPECT_EQ(outcome.values, (Values{{"schemaVersion", "1"},
                                    {"a", R"({"b":[1,"}"]})"},
                                    {"name", R"("x\"y")"},
                                    {"t", "true"},
                                    {"l", "[[]]"}}));
  EXPECT_EQ(outcome.list_places, (std::vector<std::int64_t>{55}));
  EXPECT_FALSE(outcome.is_array);
  EXPECT_TRUE(outcome.problems.empty());
}

TEST(TopLevel, NestedKeysThatLookLikeOuterOnesAreNothingSpecial) {
  const std::string nested = R"({"traceEvents":[{"ph":"X"}],"s":"\"traceEvents\":["})";
  const TopLevelOutcome outcome = ReadBothWays("{\"a\":" + nested + ",\"b\":[" + nested + "]}");
  EXPECT_EQ(outcome.event_lists, 0);
  EXPECT_EQ(outcome.values, (Values{{"a", nested}, {"b", "[" + nested + "]"}}));
  EXPECT_EQ(outcome.state, State::kEnd);
}

TEST(TopLevel, EscapedQuotesInKeys) {
  const TopLevelOutcome outcome =
      ReadBothWays(R"({"a\"traceEvents":[1],"\\":2,"\"traceEvents":[3],"traceEvents":[]})");
  EXPECT_EQ(outcome.values,
            (Values{{"a\\\"traceEvents", "[1]"}, {"\\\\", "2"}, {"\\\"traceEvents", "[3]"}}));
  EXPECT_EQ(outcome.event_lists, 1);
}

TEST(TopLevel, EventsThatAreNoListAreAValue) {
  const TopLevelOutcome outcome = ReadBothWays(R"({"traceEvents":{"a":[]},"traceEvents":null})");
  EXPECT_EQ(outcome.event_lists, 0);
  EXPECT_EQ(outcome.values, (Values{{"traceEvents", R"({"a":[]})"}, {"traceEvents", "null"}}));
}

TEST(TopLevel, BareArrayAndByteOrderMark) {
  const TopLevelOutcome array = ReadBothWays(" \n[] ");
  EXPECT_TRUE(array.is_array);
  EXPECT_EQ(array.list_places, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(array.state, State::kEnd);
  const TopLevelOutcome marked = ReadBothWays("\xEF\xBB\xBF{\"traceEvents\":[]}");
  EXPECT_EQ(marked.event_lists, 1);
  EXPECT_EQ(marked.state, State::kEnd);
}

TEST(TopLevel, WhatIsNoTrace) {
  for (const char* text : {"x", "<html>", "\"a\"", "1 2 3", "PK\x03\x04"}) {
    EXPECT_EQ(ReadBothWays(text).state, State::kNotATrace) << text;
  }
  EXPECT_EQ(ReadBothWays("  \n").state, State::kBegin);
}

TEST(TopLevel, ReportsDamageAndGoesOn) {
  const TopLevelOutcome junk = ReadBothWays(R"({"a":1 %% "traceEvents":[]})");
  EXPECT_EQ(junk.event_lists, 1);
  ASSERT_EQ(junk.problems.size(), 1U);
  EXPECT_EQ(junk.problems[0].code, QualityCode::kInvalidJson);
  EXPECT_EQ(junk.problems[0].byte, 7);
  EXPECT_EQ(junk.problems[0].count, 2);

  const TopLevelOutcome no_value = ReadBothWays(R"({"a" "traceEvents":[]})");
  ASSERT_FALSE(no_value.problems.empty());
  EXPECT_EQ(no_value.problems[0].byte, 5);

  const TopLevelOutcome garbage = ReadBothWays("{\"traceEvents\":[]}\n{\"more\":1}");
  EXPECT_EQ(garbage.state, State::kEnd);
  ASSERT_EQ(garbage.problems.size(), 1U);
  EXPECT_EQ(garbage.problems[0].code, QualityCode::kTrailingGarbage);
  EXPECT_EQ(garbage.problems[0].byte, 19);
  EXPECT_EQ(garbage.problems[0].count, 1);
}

TEST(TopLevel, CutOffValuesAreLeftOut) {
  const TopLevelOutcome outcome = ReadBothWays(R"({"a":1,"b":{"c":)");
  EXPECT_EQ(outcome.state, State::kValue);
  EXPECT_EQ(outcome.values, (Values{{"a", "1"}}));
}

TEST(TopLevel, HugeValuesAreLeftOutButFollowed) {
  const std::size_t limit = std::size_t{16} << 20;
  const auto outcome_of = [&](std::size_t bytes) {
    return Read("{\"big\":\"" + std::string(bytes - 2, 'x') + "\",\"traceEvents\":[],\"z\":3}",
                std::size_t{1} << 20);
  };
  const TopLevelOutcome fits = outcome_of(limit);
  EXPECT_TRUE(fits.problems.empty());
  ASSERT_EQ(fits.values.size(), 2U);
  EXPECT_EQ(fits.values[0].second.size(), limit);

  const TopLevelOutcome too_large = outcome_of(limit + 1);
  EXPECT_EQ(too_large.event_lists, 1);
  EXPECT_EQ(too_large.values, (Values{{"z", "3"}}));
  ASSERT_EQ(too_large.problems.size(), 1U);
  EXPECT_EQ(too_large.problems[0].code, QualityCode::kTooLarge);
}

}  // namespace
}  // namespace rankscope::kineto
