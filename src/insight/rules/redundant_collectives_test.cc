// redundant-collectives: the same data is moved in every step.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

Body Broadcasts(std::int64_t bytes) {
  return [=](Program& of, int) {
    of.Products(10);
    if (bytes > 0) of.Collective("broadcast", bytes, 300);
  };
}

TEST(RedundantCollectives, ABroadcastInEveryStep) {
  ExpectFound("redundant-collectives", "ncclDevKernel", Broadcasts(4'000'000), Broadcasts(0));
}

// A broadcast in one step only is a start.
TEST(RedundantCollectives, ABroadcastOnceIsNotRedundant) {
  EXPECT_FALSE(TellOf([](Program& of, int step) {
                 of.Products(10);
                 if (step == 1) of.Collective("broadcast", 4'000'000, 300);
               }).Has("redundant-collectives"));
}

TEST(RedundantCollectives, SmallOnesAreBookkeeping) {
  EXPECT_EQ(TellOf(Broadcasts(900'000)).ids, "");
}

}  // namespace
}  // namespace rankscope
