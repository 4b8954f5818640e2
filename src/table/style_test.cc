#include "table/style.h"

#include <gtest/gtest.h>

#include "table/terminal_text.h"

namespace rankscope {
namespace {

TEST(StyleTest, MarksBecomeSequencesOrNothing) {
  const std::string text = "a " + Marked(Style::kHeading, "b") + " c";
  EXPECT_EQ(Resolve(text, true), "a \x1b[1mb\x1b[0m c");
  EXPECT_EQ(Resolve(text, false), "a b c");
}

TEST(StyleTest, NamesCannotForgeMarks) {
  const std::string safe = SafeForTerminal(Marked(Style::kAlarm, "b"));
  EXPECT_EQ(Resolve(safe, true), safe);
}

}  // namespace
}  // namespace rankscope
