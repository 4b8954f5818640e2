// uneven-devices: ranks that do the same work run on different models of device.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// A rank takes `us` for each of its ten products, on this device.
RankTrace On(std::string_view device, std::int64_t us, std::int64_t waits_us) {
  Program program;
  for (int step = 0; step < 6; ++step) {
    program.Step(step, [&](Program& of) {
      for (int i = 0; i < 10; ++i) of.Op("aten::mm", "gemm", us, "[[64,64],[64,64]]");
      of.Waits(waits_us);
    });
  }
  return program.Build(-1, device);
}

// Half of the ranks: 2 ms a step longer for the same products.
Table TwoAndTwo(std::string_view slower) {
  JobForTest job;
  for (int rank = 0; rank < 4; ++rank)
    job.Add(rank, rank < 2 ? On("NVIDIA H100 80GB HBM3", 200, 2000) : On(slower, 400, 0));
  return job.Run(FindingsAnalysis());
}

TEST(UnevenDevices, OfAnotherModel) {
  const Table findings = TwoAndTwo("NVIDIA A100-SXM4-80GB");
  ASSERT_EQ(Rows(findings, {"id", "ranks", "gain_method", "time_lost_ns"}),
            "uneven-devices,2-3,replay,2000000\n");
  EXPECT_EQ(IntCell(findings, 0, "gain_ns"), 2000 * kUsForTest);
}

// Five of eight ranks, which scatter by some percent: more than half, and still the slower model.
TEST(UnevenDevices, HoweverManyTheyAre) {
  JobForTest job;
  constexpr std::int64_t kUs[] = {200, 204, 208, 300, 304, 306, 310, 312};
  for (int rank = 0; rank < 8; ++rank)
    job.Add(rank, On(rank < 3 ? "NVIDIA H100 80GB HBM3" : "NVIDIA A100-SXM4-80GB", kUs[rank],
                     10 * (312 - kUs[rank])));
  EXPECT_EQ(Rows(job.Run(FindingsAnalysis()), {"id", "ranks"}), "uneven-devices,3-7\n");
}

// Another model runs kernels of its own, in other blocks, for the same inputs: all that they take
// longer is the device's, and nothing of it more work.
TEST(UnevenDevices, HasKernelsOfItsOwn) {
  const auto on = [](bool is_slow, std::string_view shapes) {
    Program program;
    for (int step = 0; step < 6; ++step) {
      program.Step(step, [&](Program& of) {
        for (int i = 0; i < 10; ++i) {
          of.Op("aten::mm", is_slow ? "ampere_gemm" : "nvjet_gemm", is_slow ? 400 : 200, shapes);
          of.Blocks(is_slow ? 64 : 128);
        }
        of.Waits(is_slow ? 0 : 2000);
      });
    }
    return program.Build(-1, is_slow ? "NVIDIA A100-SXM4-80GB" : "NVIDIA H100 80GB HBM3");
  };
  const auto told = [&](std::string_view shapes_of_slow) {
    JobForTest job;
    for (int rank = 0; rank < 4; ++rank)
      job.Add(rank, on(rank == 2, rank == 2 ? shapes_of_slow : "[[64,64],[64,64]]"));
    return job.Run(FindingsAnalysis());
  };
  const Table findings = told("[[64,64],[64,64]]");
  ASSERT_EQ(Rows(findings, {"id", "ranks", "gain_method", "time_lost_ns"}),
            "uneven-devices,2,replay,2000000\n");
  EXPECT_EQ(IntCell(findings, 0, "gain_ns"), 2000 * kUsForTest);
  EXPECT_TRUE(Rows(findings, {"title"}).ends_with("a step more for the same inputs\n"));
  // Twice the inputs on that rank: more work.
  EXPECT_EQ(Rows(told("[[128,64],[64,64]]"), {"id"}).find("uneven-devices"), std::string::npos);
}

// Half of the ranks on the same model is no device that broke, either.
TEST(UnevenDevices, OfTheSameModelAreSlowKernels) {
  EXPECT_EQ(Rows(TwoAndTwo("NVIDIA H100 80GB HBM3"), {"id", "ranks"}), "slow-kernels,2-3\n");
}

}  // namespace
}  // namespace rankscope
