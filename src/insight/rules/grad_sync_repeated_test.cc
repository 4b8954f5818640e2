// grad-sync-repeated: the same gradients are reduced in every micro-batch.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Four micro-batches a step of three products each; gradients of so many bytes are reduced behind
// each, or behind the last alone. A step ends with another reduction, as all of these programs'.
Told Accumulates(bool each, std::int64_t first_bytes = 40'000'000) {
  const Body body = [=](Program& of, int) {
    for (int batch = 0; batch < 4; ++batch) {
      of.Products(3);
      const std::int64_t bytes = batch == 0 ? first_bytes : 40'000'000;
      if (!each && batch < 3) continue;
      of.Exchange(
          {
              .name = "allreduce",
              .in = bytes / 4,
              .out = bytes / 4,
              .group = "1",
              .description = "DATA_PARALLEL_GROUP",
          },
          100);
    }
  };
  return TellOf(body);
}

// 300 us a step.
TEST(GradSyncRepeated, InEveryMicroBatch) {
  const Told told = Accumulates(true);
  EXPECT_EQ(told.first(), "grad-sync-repeated") << told.all;
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_NEAR(told.gain, 100 * (1 - Accumulates(false).mean_step / told.mean_step), 1);
}

TEST(GradSyncRepeated, OnceIsNot) { EXPECT_FALSE(Accumulates(false).Has("grad-sync-repeated")); }

// Other sizes are other gradients: buckets of one backward, or parts of a model.
TEST(GradSyncRepeated, OtherSizesAreNot) {
  EXPECT_FALSE(Accumulates(true, 8'000'000).Has("grad-sync-repeated"));
}

}  // namespace
}  // namespace rankscope
