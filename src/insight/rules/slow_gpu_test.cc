// slow-gpu: the device of a rank runs the same kernels slower than its peers'.
#include <gtest/gtest.h>

#include <vector>

#include "insight/job_plan_for_test.h"
#include "insight/stages_for_test.h"
#include "insight/telemetry_program_for_test.h"

namespace rankscope {
namespace {

Table OfProducts(std::int64_t usual_us, std::int64_t of_rank_2_us) {
  JobPlan plan;
  plan.step = [=](int rank, int) {
    return RankStep{.product = rank == 2 ? of_rank_2_us : usual_us};
  };
  return FindingsOf(plan);
}

TEST(SlowGpu, OneDevice) {
  const Table findings = OfProducts(2000, 2500);
  ASSERT_EQ(Rows(findings, {"id", "severity", "ranks", "who", "steps", "gain_ns", "gain_method",
                            "time_lost_ns", "title"}),
            "slow-gpu,high,2,rank 2,0-3,500000,replay,500000,"
            "the device of rank 2 runs the same kernels 1.25x slower than its peers\n");
  EXPECT_EQ(Rows(findings, {"places"}), R"([{"op":"aten::mm","ns":2500000}])"
                                        "\n");
  EXPECT_NEAR(Gain(findings), OfSteps(500, 2870), 1e-9);
  EXPECT_EQ(std::get<double>(Cell(findings, 0, "combined_gain_pct")), Gain(findings));
}

TEST(SlowGpu, BeginsAbove4Percent) {
  EXPECT_EQ(Ids(OfProducts(2000, 2090)), "slow-gpu\n");
  EXPECT_EQ(Ids(OfProducts(2000, 2070)), "slow-kernels\n");
}

// Rank 2 has more to compute.
TEST(SlowGpu, OtherShapesAreOtherWork) {
  JobPlan plan;
  plan.step = [](int rank, int) {
    return rank == 2 ? RankStep{.product = 2500, .shapes = "[[80,64],[64,64]]"} : RankStep{};
  };
  EXPECT_EQ(Ids(FindingsOf(plan)).find("slow-gpu"), std::string::npos);
}

// Three in ten products of rank 3 take twice as long: the device is not slow at everything.
TEST(SlowGpu, SomeKernelsAreNotTheDevice) {
  std::vector<Body> bodies = {TenProducts(100, 300), TenProducts(100, 300), TenProducts(100, 300)};
  bodies.emplace_back([](Program& of, int) {
    for (int i = 0; i < 10; ++i) of.Op("aten::mm", "gemm", i < 3 ? 200 : 100);
  });
  EXPECT_FALSE(TellOfRanks(bodies).Has("slow-gpu"));
}

TEST(SlowGpu, AtFullClock) {
  const Told told =
      TellOfRanks(OneSlowDevice(), 6, -1,
                  {SampleOf(0, "device_sm_clock", 1.41e9), SampleOf(3, "device_sm_clock", 1.41e9),
                   SampleOf(3, "device_slowed_software_power_cap", 1)});
  EXPECT_EQ(told.ids, "slow-gpu ");
  EXPECT_EQ(told.ranks, "3");
}

// All are at their power cap: that does not tell one from the others.
TEST(SlowGpu, AReasonThatAllHaveExplainsNoDifference) {
  std::vector<MetricSample> samples;
  for (std::int64_t rank = 0; rank < 4; ++rank)
    samples.push_back(SampleOf(rank, "device_slowed_software_power_cap", 1));
  EXPECT_EQ(TellOfRanks(OneSlowDevice(), 6, -1, samples).ids, "slow-gpu ");
}

// Four stages of two ranks: both ranks of stage 2 are slow, so that neither stands out among its
// peers, but the other stages run the same kernels.
TEST(SlowGpu, AWholeStage) {
  const Told told = TellOfStages({100, 100, 150, 100});
  EXPECT_EQ(told.first(), "slow-gpu") << told.all;
  EXPECT_EQ(told.ranks, "4-5");
  EXPECT_FALSE(TellOfStages({100, 100, 100, 100}).Has("slow-gpu"));
}

}  // namespace
}  // namespace rankscope
