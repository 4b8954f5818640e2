#include "sim/jobs/three_d.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/engine/rank_engine.h"
#include "sim/engine/run_together.h"
#include "sim/jobs/pipeline.h"

namespace rankscope::sim {
namespace {

using Kind = PipelineAction::Kind;

TEST(Pipeline, BothSidesOfAPairSendAndReceiveInTheSameOrder) {
  for (const int stages : {2, 3, 5, 8}) {
    for (const int batches : {1, 2, 5, 16}) {
      for (int stage = 0; stage + 1 < stages; ++stage) {
        std::vector<bool> here, there;  // true: activations
        for (const PipelineAction& action : OneForwardOneBackward(stage, stages, batches)) {
          if (action.kind == Kind::kSendForward) here.push_back(true);
          if (action.kind == Kind::kReceiveBackward) here.push_back(false);
        }
        for (const PipelineAction& action : OneForwardOneBackward(stage + 1, stages, batches)) {
          if (action.kind == Kind::kReceiveForward) there.push_back(true);
          if (action.kind == Kind::kSendBackward) there.push_back(false);
        }
        EXPECT_EQ(here, there) << stage << " of " << stages << ", " << batches;
        EXPECT_EQ(here.size(), 2U * static_cast<unsigned>(batches));
      }
    }
  }
}

TEST(Pipeline, EveryMicroBatchGoesForwardOnceAndThenBackward) {
  std::map<int, int> state;
  int between = 0, most = 0;
  for (const PipelineAction& action : OneForwardOneBackward(1, 4, 8)) {
    if (action.kind == Kind::kForward) {
      EXPECT_EQ(state[action.micro_batch]++, 0);
      most = std::max(most, ++between);
    } else if (action.kind == Kind::kBackward) {
      EXPECT_EQ(state[action.micro_batch]++, 1);
      --between;
    }
  }
  EXPECT_EQ(state.size(), 8U);
  EXPECT_EQ(most, 3);  // two stages behind it, and its own
}

// The share of a step that the first stage does not compute, of a job whose stages are equal but
// for a tiny embedding and head, and whose transfers and optimizer are short beside the layers.
double Idle(int stages, int micro_batches) {
  SimulateOptions options;
  options.job = JobKind::kThreeD;
  options.ranks = stages;
  options.steps = 3;
  options.degrees = {.pp = stages};
  options.model = ModelShape{.hidden = 2048, .feed_forward = 8192, .vocabulary = 64};
  const JobPlan plan(options, {.layers = 4, .micro_batches = micro_batches}, 0, 0);
  const JobRun run = RunTogether(plan);
  KnownRendezvous known(*run.meetings);
  Recorder recorder(plan, 0, nullptr);
  RankEngine(plan, 0, &known, &recorder).Run();
  const WindowAccount& window = recorder.accounting().windows()[1];
  return 1 - static_cast<double>(window.busy_ns[0]) /
                 static_cast<double>(window.end_ns - window.begin_ns);
}

TEST(ThreeD, APipelineOfEqualStagesHasTheBubbleOfItsSchedule) {
  for (const int stages : {2, 4}) {
    for (const int batches : {4, 8, 24}) {
      const double bubble = static_cast<double>(stages - 1) / (batches + stages - 1);
      EXPECT_NEAR(Idle(stages, batches), bubble, 0.025) << stages << " stages, " << batches;
    }
  }
}

TEST(ThreeD, LaysRanksOutTensorFirstThenDataThenPipeline) {
  SimulateOptions options;
  options.job = JobKind::kThreeD;
  options.ranks = 12;
  options.degrees = {.tp = 2, .pp = 2, .dp = 3};
  const JobPlan plan(options, {.micro_batches = 2}, 0, 0);
  const Place& place = plan.layout().place(9);
  EXPECT_EQ(place.at.tp, 1);
  EXPECT_EQ(place.at.dp, 1);
  EXPECT_EQ(place.at.pp, 1);
  const auto ranks = [&](int slot) {
    const int group = place.groups[static_cast<std::size_t>(slot)];
    return plan.layout().groups[static_cast<std::size_t>(group)].ranks;
  };
  EXPECT_EQ(ranks(1), (std::vector<std::int64_t>{8, 9}));
  EXPECT_EQ(ranks(2), (std::vector<std::int64_t>{7, 9, 11}));
  EXPECT_EQ(ranks(3), (std::vector<std::int64_t>{3, 9}));
  EXPECT_EQ(ranks(4), (std::vector<std::int64_t>{3, 9}));
}

}  // namespace
}  // namespace rankscope::sim
