#include "table/column_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(UniqueNamesTest, LaterOnesGetASuffixThatIsFree) {
  const std::vector<ColumnSpec> columns = {
      {.name = "a"}, {.name = "a_1"}, {.name = "A"}, {.name = "a"}, {.name = "b"}};
  EXPECT_THAT(UniqueNames(columns), ::testing::ElementsAre("a", "a_1", "A_2", "a_3", "b"));
}

}  // namespace
}  // namespace rankscope
