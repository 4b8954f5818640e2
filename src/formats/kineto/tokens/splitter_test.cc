#include "formats/kineto/tokens/splitter.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "formats/kineto/tokens/validate.h"

namespace rankscope::kineto {
namespace {

using Events = std::vector<std::string>;

struct SplitOutcome {
  Events events;
  std::vector<std::int64_t> places;
  std::uint64_t lost = 0;
  std::uint64_t chunks = 0;
  std::vector<QualityEntry> problems;
  std::vector<std::pair<std::string, std::string>> values;

  bool Has(QualityCode code) const {
    for (const QualityEntry& entry : problems) {
      if (entry.code == code) return true;
    }
    return false;
  }
};

SplitOutcome Split(std::string_view text, SplitLimits limits = {}) {
  const auto source = OpenByteSource(text);
  EventSplitter splitter(*source, limits);
  SplitOutcome outcome;
  Chunk chunk;
  while (splitter.Next(chunk)) {
    EXPECT_EQ(chunk.sequence(), outcome.chunks++);
    const std::string_view piece = chunk.text();
    for (std::size_t at = piece.find('{'); at < piece.size(); at = piece.find('{', at)) {
      const ObjectExtent extent = MeasureObject(piece.substr(at));
      EXPECT_EQ(extent.kind, ObjectExtent::Kind::kComplete) << piece.substr(at);
      if (extent.kind != ObjectExtent::Kind::kComplete) break;
      outcome.events.emplace_back(piece.substr(at, extent.at));
      outcome.places.push_back(chunk.offset() + static_cast<std::int64_t>(at));
      at += extent.at;
    }
    const std::string content(piece);
    EXPECT_EQ(chunk.AsArray(), "[" + content + "]");
  }
  outcome.lost = splitter.lost_events();
  QualityLog problems = splitter.problems();
  outcome.problems = problems.TakeSorted();
  outcome.values = splitter.top_level().values();
  EXPECT_EQ(splitter.text_bytes(), text.size());
  return outcome;
}

// Every chunk size gives these events, in their places of `text`, with nothing to report.
void ExpectClean(const std::string& text, const Events& expected) {
  for (const std::size_t chunk_bytes : {16, 17, 31, 64, 65, 100, 257, 1000, 1 << 20}) {
    const SplitOutcome outcome = Split(text, {.chunk_bytes = chunk_bytes});
    ASSERT_EQ(outcome.events, expected) << chunk_bytes;
    EXPECT_EQ(outcome.lost, 0U);
    EXPECT_TRUE(outcome.problems.empty()) << outcome.problems[0].message;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto place = static_cast<std::size_t>(outcome.places[i]);
      ASSERT_EQ(text.substr(place, expected[i].size()), expected[i]) << chunk_bytes;
    }
  }
}

std::string Trace(const Events& events, const std::string& separator = ",") {
  std::string list;
  for (const std::string& event : events) list += (list.empty() ? "" : separator) + event;
  return "{\"schemaVersion\":1,\"traceEvents\":[" + list + "],\"a\":{\"b\":1}}";
}

TEST(Splitter, KeysInAnyOrderAndBracesInStrings) {
  const Events events = {R"({"ph":"X","name":"a"})",
                         R"({"args":{"ph":"X","x":{"y":[{},{"}":"{"}]}},"ph":"X"})",
                         R"({"name":"void {lambda()#1}::f<}{>(int) const","ph":"X"})",
                         R"({"name":"\"}\\","ts":1,"ph":"X"})",
                         R"({"name":"\\\"{"})",
                         "{}",
                         R"({ "a" : [ ] })"};
  ExpectClean(Trace(events), events);
  ExpectClean(Trace(events, "\n ,\r\n\t"), events);
  ExpectClean("[" + events[0] + ", " + events[2] + "]\n", {events[0], events[2]});
}

TEST(Splitter, OuterKeysOnEitherSide) {
  const SplitOutcome outcome =
      Split(R"({"x":{"traceEvents":[{"no":1}]},"traceEvents":[{"a":1}],"y":"[{}]"})",
            {.chunk_bytes = 16});
  EXPECT_EQ(outcome.events, (Events{R"({"a":1})"}));
  ASSERT_EQ(outcome.values.size(), 2U);
  EXPECT_EQ(outcome.values[0].second, R"({"traceEvents":[{"no":1}]})");
  EXPECT_EQ(outcome.values[1].second, R"("[{}]")");
}

// Found by fuzz_splitter: what stands between the lists came out as an event.
TEST(Splitter, TwoListsOfEvents) {
  ExpectClean(R"({"traceEvents":[{"a":1}],"b":{"x":[{}]},"traceEvents":[{"c":3},{"d":4}]})",
              {R"({"a":1})", R"({"c":3})", R"({"d":4})"});
}

TEST(Splitter, NoEvents) {
  ExpectClean(R"({"traceEvents":[]})", {});
  ExpectClean("[ ]", {});
  ExpectClean(R"({"traceEvents":[ ],"b":[{"a":1}]})", {});
}

std::string RandomString(std::mt19937& random) {
  static const std::string kParts[] = {"a", "{", "}", "\\\"", "\\\\",     "[",
                                       "]", ",", ":", " ",    "\xC3\xA9", "\\u007b"};
  std::string text = "\"";
  for (std::size_t i = random() % 12; i > 0; --i) text += kParts[random() % std::size(kParts)];
  return text + "\"";
}

std::string RandomValue(std::mt19937& random, int depth) {
  const auto kind = random() % (depth > 3 ? 3 : 5);
  if (kind == 0) return std::to_string(random());
  if (kind < 3) return RandomString(random);
  std::string text;
  for (std::size_t i = random() % 4; i > 0; --i) {
    if (!text.empty()) text += random() % 2 == 0 ? "," : " , ";
    if (kind == 3) text += RandomString(random) + ":";
    text += RandomValue(random, depth + 1);
  }
  return kind == 3 ? "{" + text + "}" : "[" + text + "]";
}

TEST(Splitter, EqualsReferenceOnRandomTraces) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    Events events;
    for (std::size_t i = random() % 20; i > 0; --i)
      events.push_back("{\"v\":" + RandomValue(random, 0) + "}");
    const std::string text = Trace(events, random() % 2 == 0 ? "," : ",\n  ");
    const std::size_t chunk_bytes = 16 + random() % 300;
    const SplitOutcome outcome = Split(text, {.chunk_bytes = chunk_bytes});
    ASSERT_EQ(outcome.events, events) << chunk_bytes << "\n" << text;
    ASSERT_TRUE(outcome.problems.empty());
  }
}

TEST(Splitter, EventsLargerThanTheChunk) {
  const std::string big = "{\"name\":\"" + std::string(100'000, '}') + "\"}";
  ExpectClean(Trace({"{}", big, "{\"a\":1}"}), {"{}", big, "{\"a\":1}"});
}

TEST(Splitter, TooLargeEventsAreSkippedAlone) {
  const std::string big = "{\"name\":\"" + std::string(5000, '}') + "\",\"args\":{\"a\":[{}]}}";
  for (const std::size_t chunk_bytes : {16, 100, 1000}) {
    const SplitOutcome outcome = Split(Trace({"{\"a\":1}", big, "{\"b\":2}", big, "{\"c\":3}"}),
                                       {.chunk_bytes = chunk_bytes, .max_event_bytes = 2000});
    EXPECT_EQ(outcome.events, (Events{"{\"a\":1}", "{\"b\":2}", "{\"c\":3}"})) << chunk_bytes;
    EXPECT_EQ(outcome.lost, 2U);
    ASSERT_EQ(outcome.problems.size(), 1U);
    EXPECT_EQ(outcome.problems[0].code, QualityCode::kTooLarge);
    EXPECT_EQ(outcome.problems[0].count, 2);
    EXPECT_EQ(outcome.problems[0].byte, 42);  // {"schemaVersion":1,"traceEvents":[{"a":1},
  }
}

// Elements that are no objects: counted, skipped, and nothing else is lost with them.
TEST(Splitter, StrayElements) {
  const std::pair<const char*, std::uint64_t> strays[] = {
      {"1", 1},           {"null, true", 2},      {R"("text")", 1},
      {"[1,2,[3]]", 1},   {R"("]")", 1},          {R"(["]", "[", "\"]"])", 1},
      {R"("a,b{}")", 1},  {R"([{"ph":"X"}])", 1}, {R"([[{"a":[{}]}, {}], 5], 6)", 2},
      {R"("\\"  , 2)", 2}};
  for (const auto& [stray, count] : strays) {
    const std::string text = Trace({"{\"a\":1}", stray, "{\"b\":2}"});
    for (const std::size_t chunk_bytes : {16, 19, 30, 1000}) {
      const SplitOutcome outcome = Split(text, {.chunk_bytes = chunk_bytes});
      EXPECT_EQ(outcome.events, (Events{"{\"a\":1}", "{\"b\":2}"})) << stray << chunk_bytes;
      EXPECT_EQ(outcome.lost, count) << stray << chunk_bytes;
      EXPECT_TRUE(outcome.Has(QualityCode::kBadEvent)) << stray;
      EXPECT_EQ(outcome.values.size(), 2U) << stray;
    }
  }
}

// A megabyte of closing braces once took hours: each of them looked at all before it again.
TEST(Splitter, StrayBracesAreLinear) {
  const SplitOutcome outcome = Split("[{\"a\":1}," + std::string(1 << 20, '}') + ",{\"b\":2}]");
  EXPECT_EQ(outcome.events, (Events{"{\"a\":1}", "{\"b\":2}"}));
  ASSERT_TRUE(outcome.Has(QualityCode::kInvalidJson));
  EXPECT_EQ(outcome.problems[0].byte, 9);
  EXPECT_EQ(outcome.problems[0].count, 1 << 20);
}

// Damage that no control character reveals, again and again: it once was found only at the end of
// the text, which was read again for each of the 40,000 events: 11 seconds.
TEST(Splitter, DamageInEveryEventIsLinear) {
  std::string text = "{\"traceEvents\":[";
  for (int i = 0; i < 40'000; ++i) text += "{\"ph\":{{},";
  const SplitOutcome outcome = Split(text);
  EXPECT_TRUE(outcome.events.empty());
  EXPECT_EQ(outcome.lost, 40'000U);
}

TEST(Splitter, TruncatedAnywhereKeepsTheWholeEvents) {
  const Events events = {R"({"ph":"X","name":"a"})", R"({"args":{"b":"{"},"ph":"X"})", "{}"};
  const std::string text = Trace(events);
  for (std::size_t size = 1; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    const SplitOutcome outcome = Split(cut, {.chunk_bytes = 24});
    Events whole;
    std::size_t at = 0;
    for (const std::string& event : events) {
      at = text.find(event, at) + event.size();
      if (at <= size) whole.push_back(event);
    }
    EXPECT_EQ(outcome.events, whole) << cut;
    EXPECT_TRUE(outcome.Has(QualityCode::kTruncated)) << cut;
    EXPECT_EQ(outcome.problems.back().byte, static_cast<std::int64_t>(size));
  }
}

TEST(Splitter, ControlCharactersAreKeptForRepair) {
  const std::string bad = "{\"ph\":\"X\",\"name\":\"a\nb\x01{\"}";
  for (const std::size_t chunk_bytes : {16, 40, 1000}) {
    const SplitOutcome outcome =
        Split(Trace({"{\"a\":1}", bad, "{\"b\":2}"}), {.chunk_bytes = chunk_bytes});
    EXPECT_EQ(outcome.events, (Events{"{\"a\":1}", bad, "{\"b\":2}"})) << chunk_bytes;
    EXPECT_EQ(outcome.lost, 0U);
  }
}

// An unescaped quote turns strings inside out; the line breaks between events reveal it.
TEST(Splitter, AnUnescapedQuoteLosesOneEvent) {
  Events events;
  for (int i = 0; i < 40; ++i)
    events.push_back("{\"ph\":\"X\",\"name\":\"f{" + std::to_string(i) + "}\",\"ts\":1}");
  for (const std::size_t damaged : {0, 17, 38, 39}) {
    Events with_damage = events;
    with_damage[damaged] = R"({"ph":"X","name":"a"b","ts":1})";
    Events expected = events;
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(damaged));
    const std::string text = Trace(with_damage, ",\n");
    for (const std::size_t chunk_bytes : {16, 100, 1 << 20}) {
      const SplitOutcome outcome = Split(text, {.chunk_bytes = chunk_bytes});
      EXPECT_EQ(outcome.events, expected) << damaged << " " << chunk_bytes;
      EXPECT_EQ(outcome.lost, 1U);
      ASSERT_TRUE(outcome.Has(QualityCode::kInvalidJson));
      EXPECT_EQ(outcome.problems[0].byte,
                static_cast<std::int64_t>(text.find("{\"ph\":\"X\",\"name\":\"a\"b")));
      EXPECT_EQ(outcome.values.size(), 2U) << "the keys behind the list are read again";
    }
  }
}

// Found by fuzz_splitter: the chunk's last event was measured from where the lost one began.
TEST(Splitter, ALostEventAfterTheLastOfAChunk) {
  const std::string text =
      "[{\"ph\":1},\n{\"ph\":\"a\"b\",\n\"c\":2}," + std::string(100, ' ') + "{\"ph\":3}]";
  const SplitOutcome outcome = Split(text, {.chunk_bytes = 60});
  EXPECT_EQ(outcome.events, (Events{"{\"ph\":1}", "{\"ph\":3}"}));
  EXPECT_EQ(outcome.lost, 1U);
}

TEST(Splitter, TooDeepEventsAreLostAlone) {
  const std::string deep =
      "{\"a\":" + std::string(2000, '[') + "\"\n\"" + std::string(2000, ']') + "}";
  const SplitOutcome outcome = Split(Trace({"{\"ph\":1}", deep, "{\"ph\":2}"}));
  EXPECT_EQ(outcome.events, (Events{"{\"ph\":1}", "{\"ph\":2}"}));
  EXPECT_EQ(outcome.lost, 1U);
  EXPECT_TRUE(outcome.Has(QualityCode::kTooLarge));
}

TEST(Splitter, WhatIsNoTraceGivesNothing) {
  EXPECT_EQ(Split("").chunks, 0U);
  EXPECT_EQ(Split(R"({"a":[{"ph":"X"}]})").chunks, 0U);
  EXPECT_EQ(Split("hello {\"ph\":\"X\"}").chunks, 0U);
}

}  // namespace
}  // namespace rankscope::kineto
