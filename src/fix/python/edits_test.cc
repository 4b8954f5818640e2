#include "fix/python/edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::fix {
namespace {

using testing::ElementsAre;

std::string MadeEdits(std::string_view text, std::vector<Edit> edits) {
  const auto ordered = InOrder(std::move(edits), text.size());
  return ordered ? Edited(text, *ordered) : "refused";
}

TEST(Edits, InsertReplaceAndRemove) {
  EXPECT_EQ(MadeEdits("abcdef", {{4, 5, ""}, {0, 0, "-"}, {1, 3, "XYZ"}}), "-aXYZdf");
}

TEST(Edits, AtOnePlaceInTheirOrder) {
  EXPECT_EQ(MadeEdits("ab", {{1, 1, "1"}, {1, 1, "2"}}), "a12b");
}

TEST(Edits, ThatMeetAreFine) { EXPECT_EQ(MadeEdits("abcd", {{0, 2, "x"}, {2, 4, "y"}}), "xy"); }

TEST(Edits, RefuseTheSameBytesAndPlacesOutside) {
  EXPECT_EQ(MadeEdits("abcd", {{0, 3, ""}, {2, 4, ""}}), "refused");
  EXPECT_EQ(MadeEdits("abcd", {{3, 5, ""}}), "refused");
  EXPECT_EQ(MadeEdits("abcd", {{3, 2, ""}}), "refused");
}

std::vector<std::int64_t> Lines(std::string_view text, const std::vector<Edit>& edits) {
  std::vector<std::int64_t> lines = {1};
  for (const char byte : text)
    if (byte == '\n') lines.push_back(lines.back() + 1);
  return EditedLines(text, *InOrder(edits, text.size()), lines);
}

TEST(Edits, KeepWhatLinesWere) {
  // A line before the second, one more level for the third.
  EXPECT_THAT(Lines("a\nb\nc\n", {{2, 2, "if:\n"}, {4, 4, "  "}}), ElementsAre(1, 2, 2, 3, 4));
  // The second is removed.
  EXPECT_THAT(Lines("a\nb\nc\n", {{2, 4, ""}}), ElementsAre(1, 3, 4));
  // Two become one.
  EXPECT_THAT(Lines("a\nb\nc", {{0, 3, "x"}}), ElementsAre(2, 3));
  EXPECT_THAT(Lines("a\nb", {}), ElementsAre(1, 2));
}

}  // namespace
}  // namespace rankscope::fix
