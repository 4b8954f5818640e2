#include "sim/model/clock.h"

#include <gtest/gtest.h>

namespace rankscope::sim {
namespace {

TEST(Clock, ShowsTrueTimeWithOffsetAndDrift) {
  EXPECT_EQ((Clock{.offset_ns = -7}).At(100), 93);
  // 20 ppm: 20 us per second.
  const Clock fast{.offset_ns = 5, .drift_ppb = 20'000};
  EXPECT_EQ(fast.At(0), 5);
  EXPECT_EQ(fast.At(1'000'000'000), 1'000'000'000 + 20'000 + 5);
  EXPECT_EQ(fast.At(49'999), 49'999 + 5);  // 0.99998 ns are not yet one
  EXPECT_EQ(fast.At(50'000), 50'001 + 5);
  const Clock slow{.offset_ns = 0, .drift_ppb = -20'000};
  EXPECT_EQ(slow.At(1), 0);  // the floor of -0.00002
  EXPECT_EQ(slow.At(50'000), 49'999);
  EXPECT_EQ(slow.At(3'000'050'000), 3'000'050'000 - 60'001);
}

}  // namespace
}  // namespace rankscope::sim
