#include "base/utf8.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

void ExpectValid(std::string_view text, std::uint32_t value) {
  const CodePoint code = DecodeUtf8(text, 0);
  EXPECT_TRUE(code.valid) << text;
  EXPECT_EQ(code.value, value);
  EXPECT_EQ(code.bytes, text.size());
}

void ExpectInvalid(std::string_view text, std::size_t bytes) {
  const CodePoint code = DecodeUtf8(text, 0);
  EXPECT_FALSE(code.valid);
  EXPECT_EQ(code.value, kReplacementCharacter);
  EXPECT_EQ(code.bytes, bytes);
}

TEST(Utf8, DecodesTheBordersOfEveryLength) {
  ExpectValid(std::string_view("\0", 1), 0);
  ExpectValid("\x7F", 0x7F);
  ExpectValid("\xC2\x80", 0x80);
  ExpectValid("\xDF\xBF", 0x7FF);
  ExpectValid("\xE0\xA0\x80", 0x800);
  ExpectValid("\xED\x9F\xBF", 0xD7FF);
  ExpectValid("\xEE\x80\x80", 0xE000);
  ExpectValid("\xEF\xBF\xBF", 0xFFFF);
  ExpectValid("\xF0\x90\x80\x80", 0x10000);
  ExpectValid("\xF4\x8F\xBF\xBF", 0x10FFFF);
}

TEST(Utf8, RefusesWhatIsNotUtf8) {
  ExpectInvalid("\x80", 1);              // a continuation alone
  ExpectInvalid("\xC0\x80", 1);          // overlong
  ExpectInvalid("\xC1\xBF", 1);          // overlong
  ExpectInvalid("\xE0\x9F\xBF", 1);      // overlong
  ExpectInvalid("\xF0\x8F\xBF\xBF", 1);  // overlong
  ExpectInvalid("\xED\xA0\x80", 1);      // surrogate
  ExpectInvalid("\xF4\x90\x80\x80", 1);  // beyond U+10FFFF
  ExpectInvalid("\xF5\x80\x80\x80", 1);
  ExpectInvalid("\xFF", 1);
}

TEST(Utf8, EndsAnInvalidSequenceBeforeTheByteThatBreaksIt) {
  ExpectInvalid("\xE2\x82", 2);  // cut off
  ExpectInvalid("\xE2\x82\"", 2);
  ExpectInvalid("\xF0\x9F\x98z", 3);
  ExpectInvalid("\xC3(", 1);
}

TEST(Utf8, CountsCodePoints) {
  EXPECT_EQ(CountCodePoints(""), 0U);
  EXPECT_EQ(CountCodePoints("a\xC3\xA9\xF0\x9F\x98\x80"), 3U);
  EXPECT_EQ(CountCodePoints("\xFF\xFE x"), 4U);
}

TEST(Utf8, FindsTheByteOfACodePoint) {
  const std::string_view text = "a\xC3\xA9z";
  EXPECT_EQ(ByteOfCodePoint(text, 0), 0U);
  EXPECT_EQ(ByteOfCodePoint(text, 2), 3U);
  EXPECT_EQ(ByteOfCodePoint(text, 3), 4U);
  EXPECT_EQ(ByteOfCodePoint(text, 9), 4U);
}

}  // namespace
}  // namespace rankscope
