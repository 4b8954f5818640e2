// small-collectives: many collectives too small to use the network.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// All-reduces of 40 us behind ten products.
Body AllReduces(int count, std::int64_t bytes = 1'000'000) {
  return [=](Program& of, int) {
    of.Products(10);
    for (int i = 0; i < count; ++i) of.Collective("allreduce", bytes, 40);
  };
}

// Through 1 MB, 40 us and 40 MB, 100 us goes a line of 38.46 us and 1.538 us per MB: in buckets of
// 25 MB each takes 1.538 us and a 25th of the latency.
TEST(SmallCollectives, InBuckets) {
  const Told told = TellOf(AllReduces(30));
  EXPECT_EQ(told.first(), "small-collectives") << told.ids;
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_EQ(told.steps, "0-5");
  EXPECT_NEAR(told.gain, 100 * 30 * (40 - 1.538 - 38.46 / 25) / told.mean_step, 0.5);
}

TEST(SmallCollectives, BeginAt24OfAStep) {
  EXPECT_TRUE(TellOf(AllReduces(24)).Has("small-collectives"));
  EXPECT_FALSE(TellOf(AllReduces(23)).Has("small-collectives"));
}

TEST(SmallCollectives, AreOfUpTo4Megabytes) {
  EXPECT_TRUE(TellOf(AllReduces(30, 4'000'000)).Has("small-collectives"));
  EXPECT_FALSE(TellOf(AllReduces(30, 4'400'000)).Has("small-collectives"));
}

}  // namespace
}  // namespace rankscope
