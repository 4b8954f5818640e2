#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "post_training/steps/overlap.h"
#include "post_training/steps/padding.h"
#include "post_training/steps/role_steps.h"

namespace rankscope::post_training {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

LogStep StepOf(std::int64_t number, Ns wall,
               std::initializer_list<std::pair<Phase, std::int64_t>> phases) {
  LogStep step{.step = number, .wall = wall};
  for (const auto& [phase, time] : phases) step.phases[static_cast<std::size_t>(phase)] = time;
  return step;
}

PhaseRecord RecordOf(std::string role, std::int64_t step, Phase phase, std::int64_t begin,
                     std::int64_t end) {
  return {.role = std::move(role), .step = step, .phase = phase, .begin = begin, .end = end};
}

std::vector<RoleSteps> RolesOf(const PostData& data) {
  std::vector<std::string> notes;
  std::vector<RoleSteps> roles = RoleStepsOf(data, notes);
  for (const RoleSteps& role : roles) {
    for (const RoleStep& step : role.steps)
      EXPECT_EQ(std::accumulate(step.phases.begin(), step.phases.end(), std::int64_t{0}),
                step.wall);
  }
  return roles;
}

TEST(RoleSteps, WhatALogLeavesIsUnknown) {
  const auto roles =
      RolesOf({.log_steps = {StepOf(1, 100, {{Phase::kGenerate, 60}, {Phase::kTrain, 30}})}});
  ASSERT_EQ(roles.size(), 1u);
  EXPECT_EQ(roles[0].kind, RoleKind::kColocated);
  EXPECT_EQ(roles[0].Total(Phase::kUnknown), 10);
}

TEST(RoleSteps, WhatLiesBesideIsInTheStepWhereItFits) {
  LogStep fits = StepOf(1, 100, {{Phase::kTrain, 60}});
  fits.beside = 40;
  LogStep behind = StepOf(2, 100, {{Phase::kTrain, 60}});
  behind.beside = 41;
  const auto roles = RolesOf({.log_steps = {fits, behind}});
  EXPECT_EQ(roles[0].steps[0].wall, 100);
  EXPECT_EQ(roles[0].steps[1].wall, 141);
  EXPECT_EQ(At(roles[0].steps[1].phases, Phase::kUnknown), 40);
}

TEST(RoleSteps, ThoseThatContradictThemselvesAreLeftOutAndNoted) {
  std::vector<std::string> notes;
  const std::int64_t second = 1'000'000'000;
  // 1 ms too much is what rounding leaves.
  const PostData data{.log_steps = {StepOf(1, second, {{Phase::kTrain, second + 1'000'000}}),
                                    StepOf(2, second, {{Phase::kTrain, 2 * second}})}};
  const auto roles = RoleStepsOf(data, notes);
  ASSERT_EQ(roles[0].steps.size(), 1u);
  EXPECT_EQ(At(roles[0].steps[0].phases, Phase::kTrain), second);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("1 of 2 steps")));
}

TEST(RoleSteps, ASlowFirstStepIsNotCounted) {
  PostData data;
  for (std::int64_t i = 0; i < 4; ++i)
    data.log_steps.push_back(StepOf(i, i == 0 ? 160 : 100, {{Phase::kTrain, 50}}));
  EXPECT_EQ(RolesOf(data)[0].counted(), 3);
  data.log_steps[0].wall = 150;
  EXPECT_EQ(RolesOf(data)[0].counted(), 4);
}

// train 10-20, generate 0-12: two of them at once are training; 20-25 nothing; next step at 25.
TEST(RoleSteps, AMomentOfSeveralPhasesIsCountedOnce) {
  const auto roles = RolesOf({.phases = {RecordOf("a", 1, Phase::kGenerate, 0, 12),
                                         RecordOf("a", 1, Phase::kTrain, 10, 20),
                                         RecordOf("a", 2, Phase::kGenerate, 25, 30)}});
  ASSERT_EQ(roles[0].steps.size(), 2u);
  EXPECT_EQ(roles[0].steps[0].wall, 25);
  EXPECT_EQ(At(roles[0].steps[0].phases, Phase::kGenerate), 10);
  EXPECT_EQ(At(roles[0].steps[0].phases, Phase::kTrain), 10);
  EXPECT_EQ(At(roles[0].steps[0].phases, Phase::kUnknown), 5);
  EXPECT_EQ(roles[0].steps[1].wall, 5);
}

TEST(RoleSteps, StepsOfSeveralFilesCountOnce) {
  PostData data{.sources = {{.path = "a.log"}, {.path = "b.jsonl"}},
                .log_steps = {StepOf(1, 10'000, {}), StepOf(2, 10'000, {}), StepOf(1, 10'005, {}),
                              StepOf(2, 12'000, {})}};
  data.log_steps[2].source = data.log_steps[3].source = 1;
  std::vector<std::string> notes;
  EXPECT_EQ(RoleStepsOf(data, notes)[0].steps.size(), 3u);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("1 were passed over"),
                                 HasSubstr("b.jsonl: another file has other times")));
}

TEST(RoleSteps, RolesWithoutEndAreLeftOutAndNoted) {
  PostData data;
  for (int i = 0; i < 103; ++i)
    data.phases.push_back(RecordOf(std::to_string(i), 1, Phase::kTrain, i, i + 1));
  std::vector<std::string> notes;
  EXPECT_EQ(RoleStepsOf(data, notes).size(), 100u);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("3 phases")));
}

TEST(RoleSteps, DevicesOfTheirOwnMakeGenerationTheTrainersWait) {
  const auto roles =
      RolesOf({.log_steps = {StepOf(
                   1, 100, {{Phase::kGenerate, 50}, {Phase::kTrain, 40}, {Phase::kSync, 10}})},
               .generate_gpus = 4,
               .train_gpus = 8});
  ASSERT_EQ(roles.size(), 2u);
  EXPECT_EQ(roles[0].kind, RoleKind::kTrainer);
  EXPECT_EQ(roles[0].Total(Phase::kWait), 50);
  EXPECT_EQ(roles[0].gpus, 8);
  EXPECT_EQ(roles[1].kind, RoleKind::kGenerator);
  EXPECT_EQ(roles[1].Total(Phase::kGenerate), 50);
  EXPECT_EQ(roles[1].Total(Phase::kSync), 10);
  EXPECT_EQ(roles[1].Total(Phase::kWait), 40);
}

// max(12 * 4 / g, 6 * 4 / (8 - g)): 9.6 at g = 5, 12 at 6 (24 / 2), 12 at 4.
TEST(Overlap, TheBestSplitOfDevices) {
  const BestSplit best = FindBestSplit(12, {{.train = 6, .sync = 1}}, 4, 4);
  EXPECT_EQ(best.generate_gpus, 5);
  EXPECT_EQ(best.train_gpus, 3);
  EXPECT_DOUBLE_EQ(best.step, 10.6);
  EXPECT_DOUBLE_EQ(best.now, 13);
}

// With g of 4 devices steps take max(16 / g, 16 / (4 - g)) and one of them 12 more: at g = 2 8 and
// 20, at 1 16 and 17.33, at 3 16 and 28.
TEST(Overlap, WhatDevicesDoNotShortenIsOfItsStep) {
  const BestSplit best = FindBestSplit(8, {{.train = 8}, {.train = 8, .fixed = 12}}, 2, 2);
  EXPECT_EQ(best.generate_gpus, 2);
  EXPECT_DOUBLE_EQ(best.step, 14);
}

// Generation 0-10, training 4-12 and 10-12 of it alone: 6 at once, of min(10, 8).
TEST(Overlap, OfARecordIsWhatIsThereAtOnce) {
  const PostData data{.phases = {RecordOf("g", 1, Phase::kGenerate, 0, 10),
                                 RecordOf("t", 1, Phase::kWait, 0, 4),
                                 RecordOf("t", 1, Phase::kTrain, 4, 12)}};
  const auto overlap = OverlapOf(RolesOf(data), data);
  ASSERT_TRUE(overlap);
  EXPECT_TRUE(overlap->is_split);
  EXPECT_DOUBLE_EQ(overlap->OverlapShare(), 0.75);
  EXPECT_DOUBLE_EQ(overlap->AsyncBound(), 1.8);
  EXPECT_DOUBLE_EQ(overlap->SideBySide(), 10);
}

// A log's: G 9, W 2, so 7 lie beside training of 10 - 2 - 1 = 7.
TEST(Overlap, OfALogIsWhatTheTrainerDoesNotWaitFor) {
  LogStep step = StepOf(1, 10, {{Phase::kWait, 2}, {Phase::kSync, 1}, {Phase::kTrain, 7}});
  step.layout = Layout::kSplit;
  step.generator_busy = 9;
  const PostData data{.log_steps = {step}};
  const auto overlap = OverlapOf(RolesOf(data), data);
  ASSERT_TRUE(overlap);
  EXPECT_DOUBLE_EQ(overlap->train, 7);
  EXPECT_DOUBLE_EQ(overlap->OverlapShare(), 1);
}

// 4 + 2 padded to 4, 3 + 1 to what is stated: 10 of 8 + 3 + 5.
TEST(Padding, IsOfEachMicroBatch) {
  const auto padding = PaddingOf({{.micro_batch = 0, .tokens = 4},
                                  {.micro_batch = 0, .tokens = 2},
                                  {.micro_batch = 1, .tokens = 3},
                                  {.micro_batch = 1, .tokens = 1, .padded = 5}});
  ASSERT_TRUE(padding);
  EXPECT_EQ(padding->padded, 16);
  EXPECT_DOUBLE_EQ(padding->Share(), 1 - 10.0 / 16);
  EXPECT_EQ(padding->micro_batches, 2);
  EXPECT_FALSE(PaddingOf({}));
}

}  // namespace
}  // namespace rankscope::post_training
