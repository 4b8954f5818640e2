#include "json_rpc/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace rankscope::json_rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The lines of a text that comes in pieces of `size` bytes; "..." for one that is too long.
std::vector<std::string> Lines(std::string_view text, std::size_t size, std::size_t most = 5) {
  std::vector<std::string> lines;
  LineSplitter splitter(most);
  const auto take = [&](const Line& line) {
    lines.emplace_back(line.is_too_long ? "..." : line.text);
  };
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size())))
    splitter.Add(text.substr(0, size), take);
  splitter.Finish(take);
  return lines;
}

TEST(LineSplitter, PiecesDoNotMatter) {
  for (const std::size_t size : {1, 2, 3, 7, 100}) {
    EXPECT_THAT(Lines("ab\n\ncd\r\nlast", size), ElementsAre("ab", "", "cd", "last"));
    EXPECT_THAT(Lines("12345\n123456\n1\n", size), ElementsAre("12345", "...", "1"));
    EXPECT_THAT(Lines("1234567", size), ElementsAre("..."));
  }
  EXPECT_THAT(Lines("", 1), IsEmpty());
}

TEST(LineSplitter, ZerosAreBytes) {
  EXPECT_THAT(Lines(std::string_view("a\0b\n", 4), 2), ElementsAre(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace rankscope::json_rpc
