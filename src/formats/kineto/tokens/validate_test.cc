#include "formats/kineto/tokens/validate.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope::kineto {
namespace {

using Kind = ObjectExtent::Kind;

void ExpectExtent(std::string_view text, Kind kind, std::size_t at) {
  const ObjectExtent extent = MeasureObject(text);
  EXPECT_EQ(extent.kind, kind) << text;
  EXPECT_EQ(extent.at, at) << text;
}

TEST(MeasureObject, Complete) {
  ExpectExtent("{}", Kind::kComplete, 2);
  ExpectExtent("{ } x", Kind::kComplete, 3);
  ExpectExtent(R"({"a":1}{"b":2})", Kind::kComplete, 7);
  ExpectExtent(R"({"a":[1,-2.5e+3,true,null,"}"],"b":{"c":[]}},)", Kind::kComplete, 44);
  ExpectExtent(R"({"a":"\"}"})", Kind::kComplete, 11);
  ExpectExtent(R"({"a":"\\"})", Kind::kComplete, 10);
  ExpectExtent("{\n\t\"a\" : [ ] , \"b\":{} }", Kind::kComplete, 23);
}

TEST(MeasureObject, LetsThroughWhatCanBeRepaired) {
  ExpectExtent("{\"a\n\x01\xFF\":\"\x80\t\"}", Kind::kComplete, 13);
}

TEST(MeasureObject, ErrorsAtTheFirstByteThatCannotBe) {
  ExpectExtent(R"({"a":1]})", Kind::kError, 6);
  ExpectExtent(R"({"a":"b"c":1})", Kind::kError, 8);
  ExpectExtent(R"({"a" 1})", Kind::kError, 5);
  ExpectExtent(R"({"a":})", Kind::kError, 5);
  ExpectExtent(R"({"a":,})", Kind::kError, 5);
  ExpectExtent(R"({"a":1,})", Kind::kError, 7);
  ExpectExtent(R"({,})", Kind::kError, 1);
  ExpectExtent(R"({a:1})", Kind::kError, 1);
  ExpectExtent(R"({"a":1 2})", Kind::kError, 7);
  ExpectExtent(R"({"a":[1,]})", Kind::kError, 8);
  ExpectExtent(R"({"a":[1}})", Kind::kError, 7);
  ExpectExtent(R"({"a"::1})", Kind::kError, 5);
  ExpectExtent(R"({"a":\})", Kind::kError, 5);
  ExpectExtent(R"({[]})", Kind::kError, 1);
}

TEST(MeasureObject, EveryPrefixOfAnObjectIsIncomplete) {
  const std::string text = R"({"a":[1,{"b":"c\"d"}],"e":{},"f":-1.5e-7,"g":null})";
  for (std::size_t size = 1; size < text.size(); ++size)
    ExpectExtent(std::string_view(text).substr(0, size), Kind::kIncomplete, size);
  ExpectExtent(text, Kind::kComplete, text.size());
}

TEST(MeasureObject, BoundsTheDepth) {
  const auto nested = [](std::size_t lists) {
    return "{\"a\":" + std::string(lists, '[') + std::string(lists, ']') + "}";
  };
  ExpectExtent(nested(999), Kind::kComplete, 5 + 2 * 999 + 1);
  ExpectExtent(nested(1000), Kind::kTooDeep, 5 + 999);
  ExpectExtent(nested(5'000'000), Kind::kTooDeep, 5 + 999);
}

TEST(FindEventStart, FindsTheNextEvent) {
  const std::string text = R"(garbage " here}, {"ph":"X"},{"name":"a"})";
  EXPECT_EQ(FindEventStart(text, 0), text.find("{\"ph\""));
  EXPECT_EQ(FindEventStart(text, 20), text.find("{\"name\""));
  EXPECT_EQ(FindEventStart(text, 30), std::string::npos);
}

TEST(FindEventStart, SpacesMayBeAnywhere) {
  const std::string text = "x }\n ,\t{ \"cat\" : 1}";
  EXPECT_EQ(FindEventStart(text, 0), text.find('{'));
}

TEST(FindEventStart, KeysThatNoEventBeginsWithAreNotEvents) {
  EXPECT_EQ(FindEventStart(R"(},{"phase":1})", 0), std::string::npos);
  EXPECT_EQ(FindEventStart(R"(},{"ph"})", 0), std::string::npos);
  EXPECT_EQ(FindEventStart(R"(},{ph:1})", 0), std::string::npos);
  EXPECT_EQ(FindEventStart(R"(} {"ph":1})", 0), std::string::npos);
}

TEST(FindEventStart, FindsTheEndOfTheList) {
  EXPECT_EQ(FindEventStart("x} ]", 0), 3U);
  EXPECT_EQ(FindEventStart("x}]}", 0), 2U);
  EXPECT_EQ(FindEventStart(R"(x}],"distributedInfo":{})", 0), 2U);
  EXPECT_EQ(FindEventStart("x}],[", 0), std::string::npos);
}

}  // namespace
}  // namespace rankscope::kineto
