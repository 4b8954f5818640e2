#include "base/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

using ::testing::HasSubstr;

std::string WhyNot(std::string_view text) {
  const auto table = ParseToml(text, "a.toml");
  return table.ok() ? "" : table.status().message();
}

TEST(Toml, LettersBeyondAsciiStandInStringsAndComments) {
  const auto table = ParseToml(
      "# Grüße\na = \"größe # \\\" no comment\" # é\nb = '# plain' # 'ñ\nc = \"\"\"x\n\u0471 "
      "\U0001F600\"\"\"\n",
      "a.toml");
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ((*table)["a"].value<std::string>(), "größe # \" no comment");
  EXPECT_EQ((*table)["b"].value<std::string>(), "# plain");
  EXPECT_EQ((*table)["c"].value<std::string>(), "x\n\u0471 \U0001F600");
}

TEST(Toml, ElsewhereTheyAreRefusedWithTheirLine) {
  EXPECT_THAT(WhyNot("a = 1\n\u0471as = 2\n"), HasSubstr("a.toml: line 2: letters beyond ASCII"));
  EXPECT_THAT(WhyNot("a = 'ñ'\n"), HasSubstr("line 1: letters"));
  EXPECT_THAT(WhyNot("a = \"\\\u00e9\"\n"), HasSubstr("line 1: letters"));
  EXPECT_THAT(WhyNot("a = \"\xff\"\n"), HasSubstr("line 1: letters"));
  EXPECT_THAT(WhyNot("a = \"x\\\"\" \u00e9\n"), HasSubstr("line 1: letters"));
  EXPECT_THAT(WhyNot("a = \"x\n\u00e9\n"), HasSubstr("line 2: letters"));
}

TEST(Toml, WhatTheParserAssertsIsSaidInWords) {
  EXPECT_THAT(WhyNot("[!]\n"), HasSubstr("a.toml: line 1: "));
  EXPECT_THAT(WhyNot("a.=1\n"), HasSubstr("line 1"));
  EXPECT_THAT(WhyNot("[[]]\n"), HasSubstr("line 1"));
  EXPECT_THAT(WhyNot("a = [1,\n"), HasSubstr("line"));
}

}  // namespace
}  // namespace rankscope
