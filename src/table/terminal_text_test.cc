#include "table/terminal_text.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "table/random_table_for_test.h"

namespace rankscope {
namespace {

TEST(SafeForTerminal, LeavesTextAlone) {
  EXPECT_EQ(SafeForTerminal(""), "");
  EXPECT_EQ(SafeForTerminal("void f<int>(a, b)"), "void f<int>(a, b)");
  EXPECT_EQ(SafeForTerminal("caf\xC3\xA9 \xE6\x97\xA5"), "caf\xC3\xA9 \xE6\x97\xA5");
}

TEST(SafeForTerminal, ShowsControls) {
  EXPECT_EQ(SafeForTerminal("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(SafeForTerminal("a\nb\tc\rd\x7F"), "a\\nb\\tc\\rd\\x7f");
  EXPECT_EQ(SafeForTerminal(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(SafeForTerminal("\xC2\x9B"), "\\x9b") << "the one-byte form of ESC [";
  EXPECT_EQ(SafeForTerminal("\xE2\x80\xAE"), "\\u202e") << "right-to-left override";
}

TEST(SafeForTerminal, ReplacesInvalidUtf8) {
  EXPECT_EQ(SafeForTerminal("a\xFF\x9B z"), "a\xEF\xBF\xBD\xEF\xBF\xBD z");
}

TEST(SafeForTerminal, LetsNoControlOfAnyBytesThrough) {
  RandomTables random(4);
  for (int round = 0; round < 10'000; ++round) {
    const std::string safe = SafeForTerminal(random.Text());
    for (std::size_t at = 0; at < safe.size();) {
      const CodePoint code = DecodeUtf8(safe, at);
      EXPECT_TRUE(code.valid);
      EXPECT_GE(code.value, 0x20U);
      EXPECT_FALSE(code.value >= 0x7F && code.value < 0xA0);
      at += code.bytes;
    }
  }
}

TEST(ShortenMiddle, KeepsBothEnds) {
  EXPECT_EQ(ShortenMiddle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 9), "abc...hij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 8), "abc...ij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 4), "a...");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 3), "abc");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 0), "");
}

TEST(ShortenMiddle, CountsCodePoints) {
  const std::string e = "\xC3\xA9";
  EXPECT_EQ(ShortenMiddle(e + e + e + e, 4), e + e + e + e);
  EXPECT_EQ(ShortenMiddle(e + e + e + e + "abcd", 7), e + e + "..." + "cd");
}

}  // namespace
}  // namespace rankscope
