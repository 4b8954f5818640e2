// slow-kernels: the same kernels take longer on some ranks, and nothing tells why.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Of ten products of rank 3 so many take 100 us more: the device is not slow at everything.
Told Slower(int count) {
  const auto products = [](int slow) {
    return [slow](Program& of, int) {
      for (int i = 0; i < 10; ++i) of.Op("aten::mm", "gemm", i < slow ? 200 : 100, "[[8,8],[8,8]]");
      if (slow == 0) of.Waits(300);
    };
  };
  return TellOfRanks({products(0), products(0), products(0), products(count)});
}

TEST(SlowKernels, SomeOfARank) {
  const Told told = Slower(3);
  EXPECT_EQ(told.all, "slow-kernels ");
  EXPECT_EQ(told.ranks, "3");
  EXPECT_EQ(told.steps, "0-5");
  EXPECT_TRUE(told.places.starts_with(R"([{"op":"aten::mm")")) << told.places;
}

// Half of eight ranks, which scatter by some percent.
TEST(SlowKernels, HalfOfTheRanks) {
  std::vector<Body> bodies;
  for (const std::int64_t us : {200, 203, 206, 209, 250, 253, 256, 259})
    bodies.push_back([us](Program& of, int) {
      for (int i = 0; i < 10; ++i) of.Op("aten::mm", "gemm", us, "[[8,8],[8,8]]");
      of.Waits(10 * (259 - us));
    });
  const Told told = TellOfRanks(bodies);
  EXPECT_EQ(told.all, "slow-kernels ");
  EXPECT_EQ(told.ranks, "4-7");
}

// Ranks that scatter alone are in no two groups.
TEST(SlowKernels, ScatterIsNone) {
  std::vector<Body> bodies;
  for (const std::int64_t us : {204, 206, 208, 209, 211, 212, 213, 215})
    bodies.push_back([us](Program& of, int) {
      for (int i = 0; i < 10; ++i) of.Op("aten::mm", "gemm", us, "[[8,8],[8,8]]");
      of.Waits(10 * (215 - us));
    });
  EXPECT_EQ(TellOfRanks(bodies).all, "");
}

// Shapes that differ tell more work, not slower kernels.
TEST(SlowKernels, OtherShapesAreMoreWork) {
  const auto products = [](std::int64_t us, std::string_view shapes, std::int64_t waits) {
    return [=](Program& of, int) {
      for (int i = 0; i < 10; ++i) of.Op("aten::mm", "gemm", us, shapes);
      of.Waits(waits);
    };
  };
  const Body usual = products(100, "[[8,8],[8,8]]", 300);
  const Told told = TellOfRanks({usual, usual, usual, products(130, "[[9,8],[8,8]]", 0)});
  EXPECT_FALSE(told.Has("slow-kernels")) << told.all;
  EXPECT_FALSE(told.Has("slow-gpu")) << told.all;
}

// Of two stages one is slow as a whole: the other runs the same kernels in less time.
TEST(SlowKernels, OneOfTwoStages) {
  const auto told_of = [](std::int64_t of_stage_1) {
    std::vector<Body> bodies;
    for (int rank = 0; rank < 4; ++rank) {
      bodies.emplace_back([=](Program& of, int) {
        const int stage = rank / 2, place = rank % 2;
        for (int i = 0; i < 10; ++i)
          of.Op("aten::mm", "gemm", stage == 1 ? of_stage_1 : 100, "[[64,64],[64,64]]");
        of.Exchange({.name = "allreduce",
                     .in = 1'000'000,
                     .out = 1'000'000,
                     .group = fmt::format("tp{}", stage),
                     .ranks = fmt::format("[{}, {}]", 2 * stage, 2 * stage + 1),
                     .size = 2,
                     .description = "TENSOR_MODEL_PARALLEL_GROUP"},
                    20);
        of.Exchange({.name = "allreduce",
                     .in = 1'000'000,
                     .out = 1'000'000,
                     .group = fmt::format("pp{}", place),
                     .ranks = fmt::format("[{}, {}]", place, place + 2),
                     .size = 2,
                     .description = "PIPELINE_MODEL_PARALLEL_GROUP"},
                    stage == 1 ? 20 : 20 + 10 * (of_stage_1 - 100));
      });
    }
    return TellOfRanks(bodies);
  };
  const Told told = told_of(125);
  EXPECT_EQ(told.first(), "slow-kernels") << told.all;
  EXPECT_EQ(told.ranks, "2-3");
  EXPECT_NE(told.title.find("take 1.25 times as long"), std::string::npos) << told.title;
  EXPECT_FALSE(told_of(108).Has("slow-kernels"));
}

}  // namespace
}  // namespace rankscope
