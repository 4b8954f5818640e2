#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units_for_test.h"
#include "post_training/study.h"

namespace rankscope::post_training {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Phases = std::initializer_list<std::pair<Phase, std::int64_t>>;

// Steps of `wall` ms each.
PostData Steps(std::int64_t wall, const Phases& phases, int count = 3) {
  PostData data;
  for (int i = 0; i < count; ++i) {
    LogStep step{.step = i, .wall = wall * kMs};
    for (const auto& [phase, time] : phases)
      step.phases[static_cast<std::size_t>(phase)] = time * kMs;
    data.log_steps.push_back(step);
  }
  return data;
}

PostData SideBySide(std::int64_t wall, std::int64_t generate, std::int64_t wait,
                    std::int64_t train) {
  PostData data = Steps(wall, {{Phase::kWait, wait}, {Phase::kTrain, train}});
  for (LogStep& step : data.log_steps) {
    step.layout = Layout::kSplit;
    step.generator_busy = generate * kMs;
  }
  return data;
}

std::vector<std::string> Ids(const Causes& causes) {
  std::vector<std::string> ids;
  for (const Finding& finding : causes.findings) ids.push_back(finding.id);
  return ids;
}

Causes Of(PostData data) {
  Causes causes = StudyOf(std::move(data)).causes;
  for (const Finding& finding : causes.findings)
    EXPECT_NE(finding.gain_pct.has_value(), !finding.no_gain.empty()) << finding.id;
  return causes;
}

TEST(PhaseBubble, OfSplitRolesThatTakeTurns) {
  PostData data = Steps(100, {{Phase::kGenerate, 60}, {Phase::kTrain, 38}, {Phase::kSync, 2}});
  EXPECT_THAT(Ids(Of(data)), IsEmpty());  // colocated: all devices work in turns
  data.generate_gpus = data.train_gpus = 8;
  const Causes causes = Of(data);
  ASSERT_THAT(Ids(causes), ElementsAre("phase-bubble"));
  EXPECT_DOUBLE_EQ(*causes.findings[0].lost_pct, 60);
  EXPECT_NEAR(*causes.findings[0].gain_pct, 38, 1e-9);  // 1 - (60 + 2) / 100
  EXPECT_EQ(causes.findings[0].severity(), "high");
}

TEST(RoleImbalance, WithTheBestSplitWhereDevicesAreKnown) {
  // G = 90, B = 60, wait 30: with 9 + 7 of 8 + 8 devices max(80, 68.6); with 10 + 6 max(72, 80).
  PostData data = SideBySide(90, 90, 30, 60);
  Causes causes = Of(data);
  ASSERT_THAT(Ids(causes), ElementsAre("role-imbalance"));
  EXPECT_FALSE(causes.findings[0].gain_pct);
  data.generate_gpus = data.train_gpus = 8;
  causes = Of(data);
  ASSERT_THAT(Ids(causes), ElementsAre("role-imbalance"));
  EXPECT_NEAR(*causes.findings[0].gain_pct, 100 * (1 - 80.0 / 90), 1e-9);
  // One device each cannot be divided otherwise.
  data.generate_gpus = data.train_gpus = 1;
  EXPECT_THAT(Ids(Of(data)), IsEmpty());
}

TEST(RoleImbalance, NotOfRolesThatAreAlike) {
  EXPECT_THAT(Ids(Of(SideBySide(100, 95, 5, 95))), IsEmpty());
}

TEST(Shares, SyncRewardsAndCheckpointsFromTheirThresholdsOn) {
  const auto with = [](Phase phase, std::int64_t time) {
    return Ids(Of(Steps(1000, {{Phase::kGenerate, 400}, {Phase::kTrain, 400}, {phase, time}})));
  };
  EXPECT_THAT(with(Phase::kSync, 49), IsEmpty());
  EXPECT_THAT(with(Phase::kSync, 50), ElementsAre("weight-sync"));
  EXPECT_THAT(with(Phase::kReshard, 60), ElementsAre("weight-sync"));
  EXPECT_THAT(with(Phase::kReward, 49), IsEmpty());
  EXPECT_THAT(with(Phase::kReward, 50), ElementsAre("reward-wait"));
  EXPECT_THAT(with(Phase::kCheckpoint, 9), IsEmpty());
  EXPECT_THAT(with(Phase::kCheckpoint, 10), ElementsAre("checkpoint-in-loop"));
}

TEST(WeightSync, TellsTheRateOfRecordedBytes) {
  const std::int64_t s = 1'000'000'000;
  const PostData data{
      .phases = {
          {.role = "job", .phase = Phase::kGenerate, .begin = 0, .end = 5 * s},
          {.role = "job", .phase = Phase::kTrain, .begin = 5 * s, .end = 8 * s},
          {.role = "job", .phase = Phase::kSync, .begin = 8 * s, .end = 10 * s, .bytes = 4e9}}};
  const Causes causes = Of(data);
  ASSERT_THAT(Ids(causes), ElementsAre("weight-sync"));
  EXPECT_THAT(causes.findings[0].evidence, HasSubstr("2.00 GB/s"));
  EXPECT_DOUBLE_EQ(*causes.findings[0].gain_pct, 20);
}

// 20 samples on 20 slots: 19 end at 40, one at 100. Step 200: (100 - 40) / 200.
PostData WithTail(std::int64_t longest) {
  PostData data = Steps(200, {{Phase::kGenerate, 100}, {Phase::kTrain, 100}}, 1);
  for (int i = 0; i < 20; ++i)
    data.rollouts.push_back(
        {.step = 1, .begin = 0, .end = (i == 0 ? longest : 40) * kMs, .response_tokens = 10});
  return data;
}

TEST(RolloutTail, GainsWhatEndingAtP95Gains) {
  const Causes causes = Of(WithTail(100));
  ASSERT_THAT(Ids(causes), ElementsAre("rollout-tail"));
  EXPECT_DOUBLE_EQ(*causes.findings[0].gain_pct, 30);
  EXPECT_EQ(causes.findings[0].gain_method, "computed");
  EXPECT_THAT(Ids(Of(WithTail(42))), IsEmpty());
}

TEST(RolloutTail, BesideTrainingCostsOnlyWhatIsLonger) {
  PostData data = WithTail(100);
  for (LogStep& step : data.log_steps) {
    step.layout = Layout::kSplit;
    step.wall = 100 * kMs;
    step.phases = {};
    step.phases[static_cast<std::size_t>(Phase::kTrain)] = 95 * kMs;
    step.phases[static_cast<std::size_t>(Phase::kWait)] = 5 * kMs;
    step.generator_busy = 100 * kMs;
  }
  const Causes causes = Of(data);
  ASSERT_THAT(Ids(causes), ElementsAre("rollout-tail"));
  EXPECT_NEAR(*causes.findings[0].gain_pct, 5, 1e-9);  // down to the 95 of training
}

TEST(RolloutTail, OfALogsSamplesIsABound) {
  PostData data = Steps(200, {{Phase::kGenerate, 100}, {Phase::kTrain, 100}});
  for (LogStep& step : data.log_steps) {
    step.facts.sample_mean_s = 0.02;
    step.facts.sample_max_s = 0.1;
  }
  const Causes causes = Of(data);
  ASSERT_THAT(Ids(causes), ElementsAre("rollout-tail"));
  EXPECT_NEAR(*causes.findings[0].gain_pct, 30, 1e-9);  // 100 (1 - 2 x 0.2) of 200
  for (LogStep& step : data.log_steps) step.facts.sample_mean_s = 0.05;
  EXPECT_THAT(Ids(Of(data)), IsEmpty());
}

// Replica a has three times the work of b in both batches, and explains the tail.
TEST(RolloutImbalance, ExplainsTheTail) {
  PostData data = Steps(200, {{Phase::kGenerate, 120}, {Phase::kTrain, 80}}, 2);
  for (std::int64_t step = 0; step < 2; ++step) {
    for (std::int64_t i = 0; i < 12; ++i) {
      const std::int64_t begin = step * 1000 + i * 10;
      data.rollouts.push_back({.replica = "a",
                               .step = step,
                               .begin = begin * kMs,
                               .end = (begin + 10) * kMs,
                               .response_tokens = 10});
      if (i < 4) {
        data.rollouts.push_back(data.rollouts.back());
        data.rollouts.back().replica = "b";
      }
    }
  }
  const Causes causes = Of(data);
  ASSERT_THAT(Ids(causes), ElementsAre("rollout-imbalance"));
  // D 120 (1 - 80 / 120) of 200.
  EXPECT_NEAR(*causes.findings[0].gain_pct, 20, 1e-6);
}

TEST(PaddingWaste, IsOfTrainingsShare) {
  PostData data = Steps(100, {{Phase::kTrain, 80}});
  data.sequences = {{.tokens = 10}, {.tokens = 5}};
  const Causes causes = Of(data);
  ASSERT_THAT(Ids(causes), ElementsAre("padding-waste"));
  EXPECT_DOUBLE_EQ(*causes.findings[0].gain_pct, 20);  // 25 % of 80 %
}

TEST(Causes, WhatCouldNotBeLookedForIsSaid) {
  const Causes causes = Of(Steps(100, {{Phase::kTrain, 80}}));
  EXPECT_THAT(causes.findings, IsEmpty());
  EXPECT_THAT(causes.unchecked, Contains(HasSubstr("phase-bubble: needs")));
  EXPECT_THAT(causes.unchecked, Contains(HasSubstr("rollout-tail: needs")));
}

TEST(Causes, ARecordingThatTellsLittleOfAStepIsNoClearance) {
  const Causes causes = Of(Steps(100, {{Phase::kTrain, 40}}));
  EXPECT_THAT(causes.unchecked, Contains(HasSubstr("weight-sync: the recording tells less")));
  EXPECT_THAT(Of(Steps(100, {{Phase::kTrain, 50}})).unchecked,
              Not(Contains(HasSubstr("weight-sync"))));
}

TEST(Causes, NothingIsSaidOfNothing) {
  const Study study = StudyOf({});
  EXPECT_THAT(study.causes.findings, IsEmpty());
  EXPECT_FALSE(study.analysis.overlap);
}

}  // namespace
}  // namespace rankscope::post_training
