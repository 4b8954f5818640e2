// grad-sync-repeated: the same gradients are reduced in every micro-batch.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

void Forward(Program& of) { of.Products(2); }
void Backward(Program& of) {
  for (int i = 0; i < 2; ++i)
    of.Op("autograd::engine::evaluate_function: MmBackward0", "gemm", 100);
}
void Reduce(Program& of, std::int64_t bytes = 40'000'000) {
  of.Exchange({.name = "allreduce",
               .in = bytes / 4,
               .out = bytes / 4,
               .group = "1",
               .description = "DATA_PARALLEL_GROUP"},
              100);
}

// Four micro-batches a step; gradients are reduced behind each, or behind the last alone.
Told Accumulates(bool each, std::int64_t first_bytes = 40'000'000) {
  const Body body = [=](Program& of, int) {
    for (int batch = 0; batch < 4; ++batch) {
      Forward(of);
      Backward(of);
      if (each || batch == 3) Reduce(of, batch == 0 ? first_bytes : 40'000'000);
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

// Other sizes are other gradients.
TEST(GradSyncRepeated, OtherSizesAreNot) {
  EXPECT_FALSE(Accumulates(true, 8'000'000).Has("grad-sync-repeated"));
}

// Equal buckets of one backward.
TEST(GradSyncRepeated, BucketsOfOneBackwardAreNot) {
  const Body body = [](Program& of, int) {
    Forward(of);
    for (int bucket = 0; bucket < 4; ++bucket) {
      Backward(of);
      Reduce(of);
    }
  };
  EXPECT_FALSE(TellOf(body).Has("grad-sync-repeated"));
}

// Where no backward is known, what is reduced is not, either.
TEST(GradSyncRepeated, WithoutABackwardIsNot) {
  const Body body = [](Program& of, int) {
    for (int i = 0; i < 4; ++i) {
      Forward(of);
      Reduce(of);
    }
  };
  EXPECT_FALSE(TellOf(body).Has("grad-sync-repeated"));
}

}  // namespace
}  // namespace rankscope
