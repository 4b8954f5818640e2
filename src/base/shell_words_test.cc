#include "base/shell_words.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(ShellWords, OnlyWhatAShellWouldTakeApartIsQuoted) {
  EXPECT_EQ(ShellWord("traces/rank-0.json.gz"), "traces/rank-0.json.gz");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("my traces"), "'my traces'");
  EXPECT_EQ(ShellWord("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(SingleQuoted("plain"), "'plain'");
  EXPECT_EQ(ShellWords({"rankscope", "analyze", "a b"}), "rankscope analyze 'a b'");
  EXPECT_EQ(ShellWords({}), "");
}

}  // namespace
}  // namespace rankscope
