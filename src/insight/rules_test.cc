// All rules together, on a program in which none has anything to find.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

TEST(Rules, AProgramWithoutACause) {
  const Told told = TellOf([](Program& program, int) { program.Products(10); });
  EXPECT_EQ(told.ids, "");
  // The first product begins 12 us behind the step, the last work ends 26 us before the next one's.
  EXPECT_EQ(told.mean_step, 12 + 10 * 100 + 100 + 26);
}

}  // namespace
}  // namespace rankscope
