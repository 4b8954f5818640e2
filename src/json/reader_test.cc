#include "json/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::json {
namespace {

using ::testing::HasSubstr;

Reader Parsed(std::string_view text) {
  Result<Reader> reader = Reader::Parse(text);
  EXPECT_TRUE(reader.ok()) << reader.status().message();
  return std::move(reader).value();
}

TEST(JsonReader, TellsWhatStandsThereOrNothing) {
  const Reader reader = Parsed(
      R"({"t":"x","i":-7,"u":18446744073709551615,"d":1.5,"b":true,"n":null,"l":[1,2],"o":{}})");
  const Value root = reader.root();
  EXPECT_EQ(root["t"].Text(), "x");
  EXPECT_EQ(root["i"].Integer(), -7);
  EXPECT_EQ(root["i"].Number(), -7.0);
  EXPECT_EQ(root["i"].Text(), std::nullopt);
  EXPECT_EQ(root["u"].Integer(), std::nullopt);
  EXPECT_EQ(root["u"].Unsigned(), 18446744073709551615U);
  EXPECT_EQ(root["d"].Integer(), std::nullopt);
  EXPECT_EQ(root["d"].Number(), 1.5);
  EXPECT_EQ(root["b"].Flag(), true);
  EXPECT_TRUE(root["n"].IsNull());
  EXPECT_FALSE(root["n"].IsKnown());
  EXPECT_FALSE(root["n"].IsAbsent());
  EXPECT_EQ(root["l"].Items().size(), 2U);
  EXPECT_TRUE(root["o"].IsObject());
  EXPECT_EQ(root["t"].TextOr("without"), "x");
  EXPECT_EQ(root["i"].TextOr("without"), "without");
  EXPECT_EQ(root["t"].IntegerOr(4), 4);
}

TEST(JsonReader, AnEmptyTextIsNoJson) {
  EXPECT_THAT(Reader::Parse({}).status().message(), HasSubstr("the text is no JSON"));
  EXPECT_FALSE(Reader::Parse("").ok());
}

TEST(JsonReader, WhatIsAbsentHasAbsentMembers) {
  const Reader reader = Parsed(R"({"a":{"b":1}})");
  const Value none = reader.root()["x"]["y"]["z"];
  EXPECT_TRUE(none.IsAbsent());
  EXPECT_FALSE(none.IsKnown());
  EXPECT_EQ(none.Integer(), std::nullopt);
  EXPECT_TRUE(none.Items().empty());
  EXPECT_TRUE(none.Members().empty());
  EXPECT_EQ(none.ToString(), "");
  EXPECT_EQ(none.Path(), "x");
  EXPECT_TRUE(reader.root()["a"]["b"]["c"].IsAbsent());
}

TEST(JsonReader, ErrorsNameThePlace) {
  const Reader reader = Parsed(R"({"hosts":[{"pid":1},{"pid":2},{"pid":-3}],"k":{"l":[[true]]}})");
  const Value host = reader.root()["hosts"].Items()[2];
  EXPECT_EQ(host["pid"].NeedInteger(1, 4194304).status().message(),
            "hosts[2].pid: a whole number from 1 to 4194304 is needed");
  EXPECT_EQ(host["pid"].NeedInteger(0).status().message(),
            "hosts[2].pid: a whole number from 0 on is needed");
  EXPECT_EQ(host["name"].NeedText().status().message(), "hosts[2].name: a text is needed");
  EXPECT_EQ(reader.root()["k"]["l"].Items()[0].Items()[0].NeedInteger().status().message(),
            "k.l[0][0]: a whole number is needed");
  EXPECT_EQ(reader.root().NeedItems().status().message(), "the text: a list is needed");
  EXPECT_EQ(reader.root()["hosts"].NeedMembers().status().message(), "hosts: an object is needed");
  EXPECT_EQ(reader.root()["k"].NeedFlag().status().message(), "k: true or false is needed");
  EXPECT_EQ(reader.root()["k"].NeedNumber().status().message(), "k: a number is needed");
  EXPECT_EQ(reader.root()["k"].NeedText().status().code(), StatusCode::kBadData);
}

TEST(JsonReader, ItemsAreReachedByTheirPlace) {
  const Reader reader = Parsed(R"({"a":[5,"x"]})");
  EXPECT_EQ(reader.root()["a"].At(1).Text(), "x");
  EXPECT_TRUE(reader.root()["a"].At(2).IsAbsent());
  EXPECT_EQ(reader.root()["a"].At(2).Path(), "a");
  EXPECT_TRUE(reader.root().At(0).IsAbsent());
}

TEST(JsonReader, EqualValuesHavePathsOfTheirOwn) {
  const Reader reader = Parsed(R"([[1,1],[1,1]])");
  EXPECT_EQ(reader.root().Items()[1].Items()[0].Path(), "[1][0]");
}

TEST(JsonReader, MembersStandInTheirOrderWithRepetitions) {
  const Reader reader = Parsed(R"({"b":1,"a":2,"b":3})");
  std::string names;
  for (const Member& member : reader.root().Members()) names += member.name;
  EXPECT_EQ(names, "bab");
  EXPECT_EQ(reader.root()["b"].Integer(), 1);
}

TEST(JsonReader, GivesTheTextAgainWithoutSpaces) {
  const Reader reader = Parsed(R"({ "a" : [ 1, "x\n", null ] })");
  EXPECT_EQ(reader.root()["a"].ToString(), R"([1,"x\n",null])");
}

TEST(JsonReader, RefusesWhatIsNoJson) {
  for (const std::string_view text : {"", "{", "{\"a\":}", "nul", "[1,]", "\"\xFF\"", "{} {}"}) {
    const Result<Reader> reader = Reader::Parse(text, StatusCode::kInvalidArgument);
    ASSERT_FALSE(reader.ok()) << text;
    EXPECT_EQ(reader.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(reader.status().message(), HasSubstr("the text is no JSON: "));
  }
  EXPECT_FALSE(Reader::Parse(std::string(5000, '[')).ok());
}

TEST(JsonReader, LargeTextsAreReadWhereTheyLie) {
  std::string text = R"({"a":["b",7]})";
  const Result<Reader> reader = Reader::ParseLarge(text);
  ASSERT_TRUE(reader.ok());
  text.assign(text.size(), ' ');
  EXPECT_EQ(reader->root()["a"].At(0).Text(), "b");
  EXPECT_EQ(reader->root()["a"].At(1).Integer(), 7);
}

TEST(JsonReader, LargeTextsThatAreNoJsonAreRefused) {
  for (std::string text : {"", "{", "[1,]"}) {
    const Result<Reader> reader = Reader::ParseLarge(text);
    ASSERT_FALSE(reader.ok()) << text;
    EXPECT_EQ(reader.status().code(), StatusCode::kBadData);
  }
}

TEST(JsonReader, CanBeMoved) {
  Reader first = Parsed(R"({"a":"b"})");
  const Value a = first.root()["a"];
  const Reader second = std::move(first);
  EXPECT_EQ(a.Text(), "b");
  EXPECT_EQ(second.root()["a"].Path(), "a");
}

}  // namespace
}  // namespace rankscope::json
