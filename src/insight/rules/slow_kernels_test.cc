// slow-kernels: the same kernels take longer on some ranks, and nothing tells why.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"
#include "insight/stages_for_test.h"

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

// Two products of rank 1 take 3 ms in place of 100 us: something else has the device meanwhile.
TEST(SlowKernels, SomethingElseOnTheDevice) {
  const auto body = [](bool is_shared) {
    return [is_shared](Program& of, int step) {
      for (int i = 0; i < 20; ++i) {
        const bool is_held_up = is_shared && i % 10 == step;
        of.Op("aten::mm", "gemm", is_held_up ? 3'000 : 100, "[[8,8],[8,8]]");
      }
      if (!is_shared) of.Waits(5'800);
    };
  };
  const Told told = TellOfRanks({body(false), body(true), body(false), body(false)});
  EXPECT_EQ(told.first(), "slow-kernels") << told.all;
  EXPECT_EQ(told.ranks, "1");
  EXPECT_NE(told.title.find("something else ran on the device"), std::string::npos) << told.title;
  EXPECT_NEAR(told.gain, 100 * 5800 / told.mean_step, 10);
}

// In each step the products of another rank take twice as long.
TEST(SlowKernels, OnAnotherRankInEachStep) {
  std::vector<Body> bodies;
  for (int rank = 0; rank < 4; ++rank)
    bodies.push_back([rank](Program& of, int step) {
      const bool is_slow = (step * 3 + step / 4) % 4 == rank;
      for (int i = 0; i < 10; ++i) of.Op("aten::mm", "gemm", is_slow ? 200 : 100, "[[8,8],[8,8]]");
      if (!is_slow) of.Waits(1000);
    });
  const Told told = TellOfRanks(bodies);
  EXPECT_EQ(told.first(), "slow-kernels") << told.all;
  EXPECT_EQ(told.ranks, "0-3");
  EXPECT_NE(told.title.find("1 of the 4 ranks, from step to step another one,"), std::string::npos)
      << told.title;
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
  const Told told = TellOfStages({100, 125});
  EXPECT_EQ(told.first(), "slow-kernels") << told.all;
  EXPECT_EQ(told.ranks, "2-3");
  EXPECT_NE(told.title.find("take 1.25 times as long"), std::string::npos) << told.title;
  EXPECT_FALSE(TellOfStages({100, 108}).Has("slow-kernels"));
}

// Two stages of one rank each that run the same layers, ten of a product and an elementwise kernel,
// which rank 0's device computes in 100 us and so many.
Told TellOfTwoStages(std::int64_t product_us, std::string_view shapes = "[[64,64],[64,64]]") {
  const auto stage = [=](std::int64_t us, std::int64_t waits) {
    return [=](Program& of, int) {
      for (int i = 0; i < 10; ++i) {
        of.Op("aten::mm", "gemm", us, shapes);
        of.Blocks(132);
        of.Op("aten::gelu", "gelu", 80, "[[64,64]]");
      }
      TraceForTest::Collective exchange{.name = "allreduce", .in = 1'000'000, .out = 1'000'000};
      exchange.group = "pp";
      exchange.ranks = "[0, 1]";
      exchange.size = 2;
      exchange.description = "PIPELINE_MODEL_PARALLEL_GROUP";
      of.Exchange(exchange, 20 + waits);
    };
  };
  return TellOfRanks({stage(product_us, 0), stage(100, 10 * (product_us - 100))});
}

// Elementwise kernels are as fast as on the other stage: the device is not slow as a whole.
TEST(SlowKernels, OfSomeKindsOnAStage) {
  const Told told = TellOfTwoStages(150);
  EXPECT_EQ(told.first(), "slow-kernels") << told.all;
  EXPECT_EQ(told.ranks, "0");
  EXPECT_NEAR(told.gain, 100 * 10 * 50 / told.mean_step, 0.5);
  EXPECT_FALSE(TellOfTwoStages(112).Has("slow-kernels"));
  EXPECT_FALSE(TellOfTwoStages(150, "").Has("slow-kernels")) << "equal blocks are no equal inputs";
}

}  // namespace
}  // namespace rankscope
