#include "sim/jobs/three_d.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sim/engine/rank_engine.h"
#include "sim/engine/run_together.h"
#include "sim/jobs/pipeline.h"
#include "sim/model/job_defaults.h"
#include "sim/test_job.h"
#include "sim/test_trace.h"

namespace rankscope::sim {
namespace {

using ::testing::HasSubstr;
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

// Of each direction: who sends what to whom is received there in the same order, around the ring
// of the stages, and a pass needs what comes to it and goes on from it.
TEST(Pipeline, InterleavedStagesSendAndReceiveInTheSameOrder) {
  using Message = std::pair<int, int>;  // micro-batch, and chunk on the receiving side
  for (const int stages : {2, 3, 4}) {
    for (const int chunks : {2, 3}) {
      for (const int batches : {stages, 2 * stages, 4 * stages}) {
        for (int stage = 0; stage < stages; ++stage) {
          const int next = (stage + 1) % stages;
          const bool wraps = next == 0;
          std::vector<Message> sent, received, sent_back, received_back;
          for (const PipelineAction& action : Interleaved(stage, stages, batches, chunks)) {
            const int beyond = action.chunk + (wraps ? 1 : 0);
            if (action.kind == Kind::kSendForward) sent.emplace_back(action.micro_batch, beyond);
            if (action.kind == Kind::kReceiveBackward)
              received_back.emplace_back(action.micro_batch, beyond);
          }
          for (const PipelineAction& action : Interleaved(next, stages, batches, chunks)) {
            if (action.kind == Kind::kReceiveForward)
              received.emplace_back(action.micro_batch, action.chunk);
            if (action.kind == Kind::kSendBackward)
              sent_back.emplace_back(action.micro_batch, action.chunk);
          }
          EXPECT_EQ(sent, received) << stage << " of " << stages << ", " << chunks;
          EXPECT_EQ(sent_back, received_back) << stage << " of " << stages << ", " << chunks;
          EXPECT_EQ(sent.size(), static_cast<unsigned>(batches * (wraps ? chunks - 1 : chunks)));
        }
      }
    }
  }
}

// As Megatron-LM orders them: two stages, four micro-batches, two chunks.
TEST(Pipeline, InterleavedByHand) {
  const auto order = [](int stage) {
    std::string text;
    for (const PipelineAction& action : Interleaved(stage, 2, 4, 2)) {
      const bool forward = action.kind == Kind::kForward;
      if (!forward && action.kind != Kind::kBackward) continue;
      text += fmt::format("{}{}{} ", forward ? 'f' : 'b', action.micro_batch,
                          action.chunk == 0 ? "" : "'");
    }
    return text;
  };
  EXPECT_EQ(order(0), "f0 f1 f0' f1' f2 b0' f3 b1' f2' b0 f3' b1 b2' b3' b2 b3 ");
  EXPECT_EQ(order(1), "f0 f1 f0' b0' f1' b1' f2 b0 f3 b1 f2' b2' f3' b3' b2 b3 ");
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
double Idle(int stages, int micro_batches, int chunks = 1) {
  SimulateOptions options;
  options.job = JobKind::kThreeD;
  options.ranks = stages;
  options.steps = 3;
  options.degrees = {.pp = stages};
  options.virtual_stages = chunks;
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

TEST(ThreeD, AnInterleavedPipelineHasASmallerBubble) {
  for (const int stages : {2, 4}) {
    for (const int batches : {8, 24}) {
      const double bubble = static_cast<double>(stages - 1) / (2 * batches + stages - 1);
      EXPECT_NEAR(Idle(stages, batches, 2), bubble, 0.03) << stages << " stages, " << batches;
    }
  }
}

TEST(ThreeD, CoalescedSendsStateNothing) {
  const TestFolder folder;
  SimulateOptions options;
  options.job = JobKind::kThreeD;
  options.ranks = 2;
  options.steps = 2;
  options.degrees = {.pp = 2};
  options.micro_batches = 4;
  options.coalesced_sends = true;
  options.out_folder = folder.path().string();
  options.compress = false;
  ASSERT_TRUE(Simulate(options).ok());
  int silent = 0, stated = 0;
  for (const TestEvent& event : ReadEvents(folder.path() / "rank0.pt.trace.json")) {
    if (!event.Is("kernel") || !event.name.starts_with("nccl")) continue;
    const bool is_send = event.name.find("SendRecv") != std::string::npos;
    EXPECT_EQ(event.collective < 0, is_send) << event.name;
    ++(is_send ? silent : stated);
  }
  EXPECT_EQ(silent, 2 * 4 * 2);  // steps, micro-batches, both ways
  EXPECT_GT(stated, 0);
}

TEST(ThreeD, RefusesSchedulesThatDoNotFit) {
  SimulateOptions options;
  options.out_folder = "out";
  options.job = JobKind::kThreeD;
  options.ranks = 4;
  options.degrees = {.pp = 4};
  options.virtual_stages = 2;
  options.micro_batches = 6;
  EXPECT_THAT(Validate(options).message(), HasSubstr("a multiple of the stages"));
  options.micro_batches = 8;
  EXPECT_TRUE(Validate(options).ok());
  options.degrees = {.cp = 2, .pp = 2};
  EXPECT_THAT(Validate(options).message(), HasSubstr("without cp"));
  options.virtual_stages = 0;
  EXPECT_THAT(Validate(options).message(), HasSubstr("virtual-stages: 0 is out of range"));
  options.virtual_stages = 1;
  options.job = JobKind::kDdp;
  options.coalesced_sends = true;
  EXPECT_THAT(Validate(options).message(), HasSubstr("coalesced-sends: only stages"));
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

TEST(ThreeD, ContextParallelismComesBehindTensorParallelism) {
  SimulateOptions options;
  options.job = JobKind::kThreeD;
  options.ranks = 16;
  options.degrees = {.tp = 2, .cp = 2, .pp = 2, .dp = 2};
  const JobPlan plan(options, {.micro_batches = 2}, 0, 0);
  const Place& place = plan.layout().place(11);
  EXPECT_EQ(place.at.tp, 1);
  EXPECT_EQ(place.at.cp, 1);
  EXPECT_EQ(place.at.dp, 0);
  EXPECT_EQ(place.at.pp, 1);
  std::map<std::string, std::vector<std::int64_t>> groups;
  for (const int group : place.groups) {
    const Group& of = plan.layout().groups[static_cast<std::size_t>(group)];
    groups[of.description] = of.ranks;
  }
  using Ranks = std::vector<std::int64_t>;
  EXPECT_EQ(groups["TENSOR_MODEL_PARALLEL_GROUP"], (Ranks{10, 11}));
  EXPECT_EQ(groups["CONTEXT_PARALLEL_GROUP"], (Ranks{9, 11}));
  EXPECT_EQ(groups["DATA_PARALLEL_GROUP_WITH_CP"], (Ranks{9, 11, 13, 15}));
  EXPECT_EQ(groups["PIPELINE_MODEL_PARALLEL_GROUP"], (Ranks{3, 11}));
  EXPECT_EQ(groups["EMBEDDING_GROUP"], (Ranks{3, 11}));
  EXPECT_EQ(groups.size(), 6U);
}

SimulateOptions ContextOptions(int ranks) {
  SimulateOptions options;
  options.job = JobKind::kThreeD;
  options.ranks = ranks;
  options.steps = 2;
  options.degrees = {.cp = ranks};
  return options;
}

TEST(ThreeD, KeysAndValuesGoRoundTheContextGroup) {
  const TestFolder folder;
  SimulateOptions options = ContextOptions(4);
  options.out_folder = folder.path().string();
  options.micro_batches = 2;
  options.compress = false;
  ASSERT_TRUE(Simulate(options).ok());
  const json::Reader truth = JsonOf(folder.path() / "truth.json");
  const std::int64_t layers =
      Number(truth.root()["size"], "layers") * 2 * 2;  // micro-batches, steps
  ASSERT_GT(layers, 4);
  for (int rank = 0; rank < 4; ++rank) {
    std::map<std::int64_t, std::int64_t> sent, received;
    for (const TestEvent& event :
         ReadEvents(folder.path() / fmt::format("rank{}.pt.trace.json", rank))) {
      if (!event.Is("kernel") || event.collective < 0) continue;
      if (event.destination >= 0) ++sent[event.destination];
      if (event.source >= 0) ++received[event.source];
    }
    // Three exchanges per layer in the forward, four the other way in the backward.
    const int next = (rank + 1) % 4, previous = (rank + 3) % 4;
    EXPECT_EQ(sent,
              (std::map<std::int64_t, std::int64_t>{{next, 3 * layers}, {previous, 4 * layers}}));
    EXPECT_EQ(received,
              (std::map<std::int64_t, std::int64_t>{{previous, 3 * layers}, {next, 4 * layers}}));
  }
}

TEST(ThreeD, RanksOfAContextGroupShareTheWorkOnASequence) {
  const auto compute_ns = [](int ranks) {
    const JobPlan plan(ContextOptions(ranks), {.layers = 4, .micro_batches = 4}, 0, 0);
    const JobRun run = RunTogether(plan);
    KnownRendezvous known(*run.meetings);
    Recorder recorder(plan, 0, nullptr);
    RankEngine(plan, 0, &known, &recorder).Run();
    return static_cast<double>(recorder.accounting().windows()[1].busy_ns[0]);
  };
  // The optimizer, and what a kernel takes however small, are not shared.
  EXPECT_NEAR(compute_ns(2) / compute_ns(1), 0.6, 0.1);
}

TEST(ThreeD, RefusesLayoutsThatDoNotFit) {
  SimulateOptions options = ContextOptions(3);
  options.out_folder = "out";
  EXPECT_THAT(Validate(options).message(), HasSubstr("layout: cp: 3 is out of range"));
  options.job = JobKind::kDdp;
  EXPECT_EQ(ParseLayout("cp=2,dp=2", &options).message(), "layout: ddp jobs have no cp");
  options.job = JobKind::kThreeD;
  EXPECT_TRUE(ParseLayout("tp=2,cp=4,pp=3,dp=5", &options).ok());
  EXPECT_EQ(options.ranks, 120);
  EXPECT_THAT(ParseLayout("tp=200,cp=200", &options).message(), HasSubstr("at most 20000"));
}

}  // namespace
}  // namespace rankscope::sim
