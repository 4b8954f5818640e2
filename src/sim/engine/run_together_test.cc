#include "sim/engine/run_together.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/engine/rank_engine.h"
#include "sim/jobs/job_plan.h"

namespace rankscope::sim {
namespace {

SimulateOptions OptionsRunTogether() {
  SimulateOptions options;
  options.ranks = 5;
  options.steps = 4;
  options.causes.push_back(
      {.cause = CauseId::kSlowGpu, .severity = 1, .ranks = {3}, .steps = {1, 2}});
  return options;
}

TEST(RunTogether, TheOrderInWhichRanksRunChangesNothing) {
  const JobPlan plan(OptionsRunTogether(), {.layers = 4, .micro_batches = 2}, kAllCauses, 0);
  const JobRun expected = RunTogether(plan);
  // Another order: always the last rank that can go on, and all at any time.
  JobRendezvous meetings(plan.layout());
  std::deque<RankEngine> engines;
  for (int rank = 0; rank < 5; ++rank) engines.emplace_back(plan, rank, &meetings, nullptr);
  std::vector<bool> done(5);
  for (int round = 0; round < 10'000 && std::count(done.begin(), done.end(), true) < 5; ++round) {
    for (std::size_t rank = 5; rank-- > 0;) {
      if (!done[rank]) done[rank] = engines[rank].Run();
    }
  }
  for (std::size_t rank = 0; rank < 5; ++rank) {
    EXPECT_TRUE(done[rank]);
    EXPECT_EQ(engines[rank].step_bounds_ns(), expected.step_bounds_ns[rank]);
  }
}

TEST(RunTogether, ARankAloneRepeatsWhatItDidTogether) {
  const JobPlan plan(OptionsRunTogether(), {.layers = 3}, kAllCauses, 0);
  const JobRun run = RunTogether(plan);
  KnownRendezvous known(*run.meetings);
  for (int rank = 0; rank < 5; ++rank) {
    Recorder recorder(plan, rank, nullptr);
    RankEngine engine(plan, rank, &known, &recorder);
    EXPECT_TRUE(engine.Run());
    EXPECT_EQ(engine.step_bounds_ns(), run.step_bounds_ns[static_cast<std::size_t>(rank)]);
    for (const std::int64_t waited : engine.waited_ns()) EXPECT_GE(waited, 0);
  }
}

}  // namespace
}  // namespace rankscope::sim
