#include "table/text_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

LayoutColumn Number(std::string header, std::size_t width) {
  return {std::move(header), width, false};
}
LayoutColumn Text(std::string header, std::size_t width) {
  return {std::move(header), width, true};
}

TEST(LayOutColumns, TakesWhatColumnsNeed) {
  EXPECT_THAT(LayOutColumns({Number("rank", 2), Text("name", 30)}, 100), ElementsAre(4, 30));
  EXPECT_THAT(LayOutColumns({Number("rank", 2), Text("name", 300)}, 0), ElementsAre(4, 300));
  EXPECT_THAT(LayOutColumns({}, 100), IsEmpty());
}

TEST(LayOutColumns, ShrinksTextFirstAndTheWidestMost) {
  EXPECT_THAT(LayOutColumns({Number("a_long_header", 2), Text("x", 20), Text("y", 60)}, 70),
              ElementsAre(13, 20, 33));
  EXPECT_THAT(LayOutColumns({Text("x", 50), Text("y", 60)}, 66), ElementsAre(32, 32));
}

TEST(LayOutColumns, TheNameKeepsRoom) {
  EXPECT_THAT(LayOutColumns({Text("x", 50), Text("y", 60)}, 52), ElementsAre(28, 22));
  // 28 and four gaps leave 24 of 60 for two numbers, and none for what stands behind them.
  EXPECT_THAT(
      LayOutColumns(
          {Text("x", 50), Number("a", 10), Number("b", 10), Text("y", 30), Number("c", 10)}, 60),
      ElementsAre(36, 10, 10));
  EXPECT_THAT(LayOutColumns({Number("rank", 2), Text("x", 50), Text("y", 30)}, 45),
              ElementsAre(4, 39));
}

TEST(LayOutColumns, ThenBreaksHeaders) {
  EXPECT_THAT(LayOutColumns({Number("exposed_communication", 7), Text("x", 60)}, 38),
              ElementsAre(13, 23));
}

TEST(LayOutColumns, ShrinksTheNameWhereNothingElseIsLeft) {
  EXPECT_THAT(LayOutColumns({Number("n", 20), Text("x", 60)}, 30), ElementsAre(20, 8));
}

TEST(LayOutColumns, ThenLeavesColumnsOut) {
  EXPECT_THAT(LayOutColumns({Number("a", 20), Number("b", 20), Number("c", 20)}, 50),
              ElementsAre(20, 20));
  EXPECT_THAT(LayOutColumns({Number("a", 20), Number("b", 20)}, 5), ElementsAre(20));
}

TEST(BreakHeader, BreaksBehindUnderscoresAndBeforeTheUnit) {
  EXPECT_THAT(BreakHeader("exposed_communication [GB]", 40),
              ElementsAre("exposed_communication [GB]"));
  EXPECT_THAT(BreakHeader("exposed_communication [GB]", 21),
              ElementsAre("exposed_communication", "[GB]"));
  EXPECT_THAT(BreakHeader("exposed_communication [GB]", 5),
              ElementsAre("exposed_", "communication", "[GB]"));
  EXPECT_THAT(BreakHeader("", 5), IsEmpty());
}

}  // namespace
}  // namespace rankscope
