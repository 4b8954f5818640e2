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

// Twenty copies that the others do not make are no slow ones.
TEST(SlowCopies, MoreOfThemAreToldAsMore) {
  const Body usual = Loads(100, 2000);
  const Body saves = [](Program& of, int) {
    of.Copy("Memcpy HtoD (Pinned -> Device)", 100);
    of.Products(10);
    for (int i = 0; i < 20; ++i) of.Copy("Memcpy DtoH (Device -> Pageable)", 100);
  };
  const Told told = TellOfRanks({saves, usual, usual, usual});
  EXPECT_EQ(told.first(), "slow-copies") << told.all;
  EXPECT_NE(told.title.find("rank 0 makes 120 copies in 6 steps that the other ranks do not"),
            std::string::npos)
      << told.title;
  EXPECT_EQ(told.change.find("NUMA"), std::string::npos) << told.change;
}

TEST(SlowCopies, AsLongOnAllAreNot) {
  const Told told = TellOfRanks({Loads(600, 0), Loads(600, 0), Loads(600, 0), Loads(600, 0)});
  EXPECT_FALSE(told.Has("slow-copies")) << told.all;
}

}  // namespace
}  // namespace rankscope
