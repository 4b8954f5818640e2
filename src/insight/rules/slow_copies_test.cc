// slow-copies: copies take longer on some ranks.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

Body Loads(std::int64_t us, std::int64_t waits) {
  return [=](Program& of, int) {
    of.Copy("Memcpy HtoD (Pinned -> Device)", us);
    of.Products(10);
    of.Waits(waits);
  };
}

TEST(SlowCopies, OfARank) {
  const Told told = TellOfRanks({Loads(100, 500), Loads(600, 0), Loads(100, 500), Loads(100, 500)});
  EXPECT_EQ(told.first(), "slow-copies");
  EXPECT_EQ(told.ranks, "1");
  EXPECT_NEAR(told.gain, 100 * 500 / told.mean_step, 0.1);
}

TEST(SlowCopies, AsLongOnAllAreNot) {
  const Told told = TellOfRanks({Loads(600, 0), Loads(600, 0), Loads(600, 0), Loads(600, 0)});
  EXPECT_FALSE(told.Has("slow-copies")) << told.all;
}

}  // namespace
}  // namespace rankscope
