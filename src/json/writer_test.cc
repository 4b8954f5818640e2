#include "json/writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace rankscope::json {
namespace {

template <typename Fill>
std::string Written(const Fill& fill) {
  std::string out;
  Writer writer(out);
  fill(writer);
  return out;
}

TEST(JsonWriter, PutsCommasBetweenMembersAndItems) {
  EXPECT_EQ(Written([](Writer& w) { w.BeginObject().EndObject(); }), "{}");
  EXPECT_EQ(Written([](Writer& w) {
              w.BeginObject().Member("a", 1).Key("b").BeginArray();
              w.BeginObject().EndObject().BeginArray().EndArray().Write("c").EndArray();
              w.Member("d", true).EndObject();
            }),
            R"({"a":1,"b":[{},[],"c"],"d":true})");
}

TEST(JsonWriter, WritesEveryKindOfValue) {
  const std::map<std::string, std::string> texts = {{"k", "v"}, {"l", "\""}};
  EXPECT_EQ(Written([&](Writer& w) {
              w.BeginArray().Write(std::int64_t{-5}).Write(std::size_t{7}).Write(0.5);
              w.Write(false).Null().Write(std::string("x")).Raw("{\"y\":[]}").Write(texts);
              w.EndArray();
            }),
            R"([-5,7,0.5,false,null,"x",{"y":[]},{"k":"v","l":"\""}])");
}

TEST(JsonWriter, WhatIsUnknownIsNull) {
  EXPECT_EQ(Written([](Writer& w) {
              w.BeginArray().Write(std::optional<std::int64_t>()).Write(std::optional(3));
              w.Write(std::numeric_limits<double>::quiet_NaN()).WriteTextOrNull("").EndArray();
            }),
            "[null,3,null,null]");
}

TEST(JsonWriter, BigIntegersAreDigitsOrExactTexts) {
  constexpr std::int64_t kBig = std::int64_t{1} << 60;
  EXPECT_EQ(Written([](Writer& w) { w.BeginArray().Write(kBig).WriteExact(kBig).EndArray(); }),
            R"([1152921504606846976,"1152921504606846976"])");
  EXPECT_EQ(Written([](Writer& w) { w.Write(std::numeric_limits<std::uint64_t>::max()); }),
            "18446744073709551615");
}

TEST(JsonWriter, ExactListsAndMembers) {
  const std::vector<std::int64_t> numbers = {1, std::int64_t{1} << 60};
  EXPECT_EQ(Written([&](Writer& w) {
              w.BeginObject().ExactMember("a", numbers).ExactMember("b", 2);
              w.ExactMember("c", std::optional<std::int64_t>()).EndObject();
            }),
            R"({"a":[1,"1152921504606846976"],"b":2,"c":null})");
}

TEST(JsonWriter, BeginsLinesWhereAsked) {
  EXPECT_EQ(Written([](Writer& w) {
              w.BeginObject().Member("a", 1).Line().Key("b").BeginArray();
              w.Line().Write(2).Line().Write(3).EndArray().EndObject();
            }),
            "{\"a\":1,\n\"b\":[\n2,\n3]}");
}

TEST(JsonWriter, WritesListsOfLists) {
  EXPECT_EQ(Written([](Writer& w) {
              w.Write(std::vector<std::vector<int>>{{1, 2}, {}, {3}});
            }),
            "[[1,2],[],[3]]");
}

TEST(JsonWriter, GoesOnInATextThatHasSomethingAlready) {
  std::string out = "data: ";
  Writer(out).BeginObject().Member("id", "x").EndObject();
  EXPECT_EQ(out, R"(data: {"id":"x"})");
}

}  // namespace
}  // namespace rankscope::json
