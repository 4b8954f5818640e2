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

// Forty buffers of 2 kB, one by one, of 16 us each; with other sizes in every step it is data.
TEST(RedundantCollectives, ManySmallOnesOfEqualSizesAreBuffers) {
  const auto buffers = [](int count, bool same, std::string_view purpose) {
    return TellOf([=](Program& of, int step) {
      of.Products(10);
      for (int i = 0; i < count; ++i) {
        const std::int64_t elements = 512 + (same ? i : 100 * step + i);
        of.Exchange({.name = "broadcast",
                     .in = elements,
                     .out = elements,
                     .group = "1",
                     .description = purpose},
                    16);
      }
    });
  };
  constexpr std::string_view kData = "DATA_PARALLEL_GROUP";
  const Told told = buffers(40, true, kData);
  ASSERT_EQ(told.first(), "redundant-collectives") << told.all;
  EXPECT_NE(told.title.find("40 broadcasts a step"), std::string::npos) << told.title;
  EXPECT_NEAR(told.gain, 100 * (1 - buffers(0, true, kData).mean_step / told.mean_step), 1);
  EXPECT_FALSE(buffers(40, false, kData).Has("redundant-collectives"));
  EXPECT_FALSE(buffers(10, true, kData).Has("redundant-collectives"));
  // Batches, which tensor parallelism hands out.
  EXPECT_FALSE(buffers(40, true, "TENSOR_MODEL_PARALLEL_GROUP").Has("redundant-collectives"));
}

// Launching each takes the host longer (60 us) than it takes the devices: without them the host
// does not launch them, either.
TEST(RedundantCollectives, LaunchingManySmallOnesCostsToo) {
  const auto buffers = [](int count) {
    return TellOf([=](Program& of, int) {
      of.Products(10);
      for (int i = 0; i < count; ++i) {
        of.HostOp("c10d::broadcast_", 60);
        of.Exchange({.name = "broadcast",
                     .in = 512,
                     .out = 512,
                     .group = "1",
                     .description = "DATA_PARALLEL_GROUP"},
                    16);
      }
      of.Products(10);
    });
  };
  const Told told = buffers(40);
  ASSERT_EQ(told.first(), "redundant-collectives") << told.all;
  EXPECT_NEAR(told.gain, 100 * (1 - buffers(0).mean_step / told.mean_step), 3);
}

// Behind the optimizer's first kernel they bring what each rank has updated its share of (ZeRO-1),
// before it they bring what all have.
TEST(RedundantCollectives, BroadcastsOfUpdatedParametersAreTold) {
  const auto told_with = [](bool update_first) {
    return TellOf([=](Program& of, int) {
      of.Products(10);
      const auto broadcasts = [&] {
        for (int i = 0; i < 2; ++i) of.Collective("broadcast", 4'000'000, 300);
      };
      if (!update_first) broadcasts();
      of.Range("Optimizer.step#AdamW.step",
               [&] { of.Op("aten::_fused_adamw_", "multi_tensor_apply_kernel<FusedAdam>", 20); });
      if (update_first) broadcasts();
    });
  };
  const Told zero = told_with(true);
  ASSERT_EQ(zero.first(), "redundant-collectives") << zero.all;
  EXPECT_NE(zero.title.find("2 broadcasts a step bring"), std::string::npos) << zero.title;
  EXPECT_NE(zero.change.find("all-gather of flat buffers"), std::string::npos) << zero.change;
  const Told same = told_with(false);
  ASSERT_EQ(same.first(), "redundant-collectives") << same.all;
  EXPECT_NE(same.title.find("2 broadcasts a step move"), std::string::npos) << same.title;
  EXPECT_NE(same.change.find("broadcast_buffers=False"), std::string::npos) << same.change;
}

// Before anything is computed it may be a new batch that one rank hands out; within
// DistributedDataParallel.forward it is of buffers.
TEST(RedundantCollectives, ABatchThatOneRankHandsOutMayBeNew) {
  const auto told_with = [](bool in_forward) {
    return TellOf([=](Program& of, int) {
      const auto forward = [&] {
        of.Idles(200);
        if (in_forward) of.Collective("broadcast", 40'000'000, 300);
        of.Products(10);
      };
      if (!in_forward) of.Collective("broadcast", 40'000'000, 300);
      of.Range("DistributedDataParallel.forward", forward);
    });
  };
  const Told batch = told_with(false);
  ASSERT_EQ(batch.first(), "redundant-collectives") << batch.all;
  EXPECT_TRUE(batch.title.starts_with("1 broadcast a step brings 40.0 MB before the step computes"))
      << batch.title;
  EXPECT_NE(batch.change.find("let each rank load its own part"), std::string::npos)
      << batch.change;
  const Told buffers = told_with(true);
  ASSERT_EQ(buffers.first(), "redundant-collectives") << buffers.all;
  EXPECT_TRUE(
      buffers.title.starts_with("1 broadcast a step moves 40.0 MB that the ranks had before"))
      << buffers.title;
  EXPECT_NE(buffers.change.find("broadcast_buffers=False"), std::string::npos) << buffers.change;
}

TEST(RedundantCollectives, SmallOnesAreBookkeeping) {
  EXPECT_EQ(TellOf(Broadcasts(900'000)).ids, "");
}

}  // namespace
}  // namespace rankscope
