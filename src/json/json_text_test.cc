#include "json/json_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "base/utf8.h"
#include "table/random_table_for_test.h"

namespace rankscope {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

std::string Integer(std::int64_t value) {
  std::string out;
  AppendJsonInteger(out, value);
  return out;
}

std::string Double(double value) {
  std::string out;
  AppendJsonDouble(out, value);
  return out;
}

TEST(JsonString, EscapesWhatJsonDoesNotAllow) {
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("plain /text/"), R"("plain /text/")");
  EXPECT_EQ(Quoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(Quoted("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(Quoted(std::string_view("\0\x1b\x1f", 3)), R"("\u0000\u001b\u001f")");
  EXPECT_EQ(Quoted("\x7F"), "\"\x7F\"");
}

TEST(JsonString, KeepsUtf8AndReplacesTheRest) {
  EXPECT_EQ(Quoted("\xC3\xA9\xF0\x9F\x98\x80"), "\"\xC3\xA9\xF0\x9F\x98\x80\"");
  EXPECT_EQ(Quoted("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(Quoted("\xE2\x82"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(Quoted("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"") << "a surrogate";
}

TEST(JsonString, IsValidForAnyBytes) {
  RandomTables random(5);
  for (int round = 0; round < 10'000; ++round) {
    const std::string text = Quoted(random.Text());
    ASSERT_GE(text.size(), 2U);
    for (std::size_t at = 1; at + 1 < text.size();) {
      if (text[at] == '\\') {
        at += text[at + 1] == 'u' ? 6 : 2;
        continue;
      }
      const CodePoint code = DecodeUtf8(text, at);
      EXPECT_TRUE(code.valid);
      EXPECT_GE(code.value, 0x20U);
      EXPECT_NE(code.value, static_cast<std::uint32_t>('"'));
      at += code.bytes;
    }
  }
}

TEST(JsonInteger, IsAStringBeyondWhatADoubleHolds) {
  EXPECT_EQ(Integer(0), "0");
  EXPECT_EQ(Integer(-5), "-5");
  EXPECT_EQ(Integer(9'007'199'254'740'992), "9007199254740992");
  EXPECT_EQ(Integer(-9'007'199'254'740'992), "-9007199254740992");
  EXPECT_EQ(Integer(9'007'199'254'740'993), R"("9007199254740993")");
  EXPECT_EQ(Integer(-9'007'199'254'740'993), R"("-9007199254740993")");
  EXPECT_EQ(Integer(std::numeric_limits<std::int64_t>::min()), R"("-9223372036854775808")");
}

TEST(JsonDouble, IsShort) {
  EXPECT_EQ(Double(0), "0");
  EXPECT_EQ(Double(0.1), "0.1");
  EXPECT_EQ(Double(100000), "100000");
  EXPECT_EQ(Double(-2.5e-10), "-2.5e-10");
  EXPECT_EQ(Double(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(Double(-std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonDouble, ReadsBackTheSame) {
  RandomTables random(6);
  for (int round = 0; round < 10'000; ++round) {
    const double value = random.Number();
    EXPECT_EQ(std::strtod(Double(value).c_str(), nullptr), value);
  }
}

}  // namespace
}  // namespace rankscope
