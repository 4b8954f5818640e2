// Against whole replays, which are the definition.
#include "replay/scenario/step_replay.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "base/units_for_test.h"
#include "replay/job_graph/graph_for_test.h"
#include "replay/replay_fact.h"

namespace rankscope {
namespace {

// Four steps of a gemm and an all-reduce, whose members come at different times; the host waits for
// the device at the end of a step, or runs ahead.
RankTrace RankStepReplay(std::int64_t gemm_us, bool waits) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 4; ++step) {
    const std::int64_t t = step * 650 * kUs;
    const std::int64_t call = 10 * step;
    trace.Step(step, t, 650 * kUs)
        .Host(1, EventKind::kRuntime, "cudaLaunchKernel", t + 10 * kUs, 5 * kUs, call + 1)
        .Kernel(7, "gemm", t + 20 * kUs, gemm_us * kUs)
        .Linked(call + 1)
        .Host(1, EventKind::kRuntime, "cudaLaunchKernel", t + 16 * kUs, 5 * kUs, call + 2)
        .Kernel(7, "ncclDevKernel_AllReduce_Sum_f32", t + (20 + gemm_us) * kUs,
                (600 - gemm_us) * kUs)
        .Linked(call + 2);
    if (waits)
      trace.Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", t + 30 * kUs, 595 * kUs,
                 call + 3);
  }
  return trace.Build(kBase);
}

void ExpectAsWholeReplays(const JobForTest& traces) {
  const JobContext job = WithReplay(traces);
  const Replayed& replayed = ReplayedOf(job);
  const JobGraph& graph = replayed.graph();
  ASSERT_GE(graph.steps().size(), 3U);
  std::vector<std::size_t> steps(graph.steps().size());
  std::iota(steps.begin(), steps.end(), 0);
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    Scenario all = replayed.recorded();
    std::vector<Scenario> alone(steps.size(), replayed.recorded());
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      if (graph.StepOf(node) == kNoStep || random() % 3 == 0) continue;
      const auto duration = static_cast<std::int64_t>(random() % 900) * kUs;
      const auto gap = static_cast<std::int64_t>(random() % 50) * kUs;
      for (Scenario* const scenario : {&all, &alone[graph.StepOf(node)]}) {
        scenario->SetDuration(node, duration);
        if (graph.Waits(node)) scenario->SetGap(node, gap);
      }
    }
    const std::vector<std::int64_t> times = TimesOfStepsAlone(all, steps);
    ASSERT_EQ(times.size(), steps.size());
    ASSERT_EQ(TimesOfStepsAlone(all, steps, 2), times);
    for (const std::size_t step : steps)
      ASSERT_EQ(times[step], Replay(alone[step]).StepTime(step))
          << "step " << step << ", round " << round;
  }
  const std::vector<std::int64_t> recorded = TimesOfStepsAlone(replayed.recorded(), steps);
  for (const std::size_t step : steps) EXPECT_EQ(recorded[step], replayed.now().StepTime(step));
}

TEST(StepReplay, HostsThatWait) {
  JobForTest job;
  ExpectAsWholeReplays(job.Add(0, RankStepReplay(300, true)).Add(1, RankStepReplay(500, true)));
}

TEST(StepReplay, HostsThatRunAhead) {
  JobForTest job;
  ExpectAsWholeReplays(job.Add(0, RankStepReplay(300, false)).Add(1, RankStepReplay(500, false)));
}

}  // namespace
}  // namespace rankscope
