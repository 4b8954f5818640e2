// cpu-contention: the host has too few cores for its threads.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"
#include "insight/telemetry_program_for_test.h"

namespace rankscope {
namespace {

Told AllWait(double share) {
  return TellOfRanks(
      {ManyLaunches(), ManyLaunches()}, 6, -1,
      {SampleOf(0, "process_core_wait", share), SampleOf(1, "process_core_wait", share)});
}

TEST(CpuContention, HostsThatWaitForCores) {
  EXPECT_TRUE(AllWait(0.5).Has("cpu-contention"));
  EXPECT_TRUE(AllWait(0.11).Has("cpu-contention"));
}

TEST(CpuContention, BeginsAtATenthOfTheTime) {
  EXPECT_EQ(AllWait(0.09).ids, "launch-bound ");
  EXPECT_EQ(AllWait(0.02).ids, "launch-bound ");
}

// Rank 1's ops take 800 us where its peers' take 200.
TEST(CpuContention, ASlowHostThatWaitsForCores) {
  JobPlan plan;
  plan.step = [](int rank, int) { return RankStep{.op = rank == 1 ? 800 : 200}; };
  const Table findings = FindingsOf(plan, {SampleOf(1, "process_core_wait", 0.6)});
  EXPECT_EQ(Rows(findings, {"id", "ranks", "steps", "gain_method"}),
            "cpu-contention,1,0-3,replay\n");
  EXPECT_NEAR(Gain(findings), OfSteps(600, 2970), 1e-9);
  EXPECT_EQ(Ids(FindingsOf(plan, {SampleOf(0, "process_core_wait", 0.6)})).find("slow-host"), 0u);
}

// Rank 1 is as slow without any pressure: nothing would be gained.
TEST(CpuContention, PressureThatCostsNothingIsNotTold) {
  std::vector<MetricSample> pressure = {SampleOf(0, "host_cpu_pressure", 0.5)};
  pressure.front().rank.reset();
  pressure.front().host = "node1";
  JobForTest job;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    Program program;
    for (int step = 0; step < 6; ++step)
      program.Step(step, [&](Program& of) { ManyLaunches()(of, step); });
    job.Add(rank, program.Build(-1)).OnHost(rank == 0 ? "node1" : "node2");
  }
  job.With(TelemetryOf(pressure));
  EXPECT_EQ(Ids(job.Run(FindingsAnalysis())).find("cpu-contention"), std::string::npos);
}

}  // namespace
}  // namespace rankscope
