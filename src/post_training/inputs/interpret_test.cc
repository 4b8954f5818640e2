#include "post_training/inputs/interpret.h"

#include <gtest/gtest.h>

#include "base/units_for_test.h"

namespace rankscope::post_training {
namespace {

MetricRow RowOf(std::vector<std::pair<std::string, double>> values) {
  return {.step = 1, .values = std::move(values)};
}

Ns In(const LogStep& step, Phase phase) { return step.phases[static_cast<std::size_t>(phase)]; }

TEST(Verl, ReshardingLiesInGeneration) {
  const LogStep step = StepOf(RowOf({{"timing_s/gen", 6},
                                     {"timing_s/reshard", 1},
                                     {"timing_s/generate_sequences", 5},
                                     {"timing_s/ref", 2},
                                     {"timing_s/values", 1},
                                     {"timing_s/update_critic", 2},
                                     {"timing_s/update_actor", 3},
                                     {"timing_s/step", 16}}),
                              Framework::kVerl);
  EXPECT_EQ(step.layout, Layout::kColocated);
  EXPECT_EQ(In(step, Phase::kGenerate), 5 * kS);
  EXPECT_EQ(In(step, Phase::kReshard), kS);
  EXPECT_EQ(In(step, Phase::kLogProb), 3 * kS);
  EXPECT_EQ(In(step, Phase::kTrain), 5 * kS);
  EXPECT_EQ(In(step, Phase::kCheckpoint), std::nullopt);
  EXPECT_EQ(step.wall, 16 * kS);
}

TEST(Verl, FullyAsynchronousGenIsTheTrainersWait) {
  const LogStep step = StepOf(RowOf({{"timing_s/gen", 4},
                                     {"timing_s/timing_s/param_sync", 0.5},
                                     {"timing_s/step", 10},
                                     {"fully_async/rollouter/idle_ratio", 0.25},
                                     {"fully_async/rollouter/version_time", 12}}),
                              Framework::kVerl);
  EXPECT_EQ(step.layout, Layout::kSplit);
  EXPECT_EQ(In(step, Phase::kWait), 4 * kS);
  EXPECT_EQ(In(step, Phase::kGenerate), std::nullopt);
  EXPECT_EQ(step.sync_beside, kS / 2);
  EXPECT_EQ(step.generator_wall, 12 * kS);
  EXPECT_EQ(step.generator_busy, 9 * kS);
}

TEST(Verl, OneStepOffHasAGeneratorOfItsOwn) {
  const LogStep step = StepOf(RowOf({{"timing_s/wait_prev_gen", 2},
                                     {"timing_s/generate_sequences", 9},
                                     {"timing_s/sync_rollout_weights", 1},
                                     {"timing_s/step", 10}}),
                              Framework::kVerl);
  EXPECT_EQ(step.layout, Layout::kSplit);
  EXPECT_EQ(In(step, Phase::kWait), 2 * kS);
  EXPECT_EQ(In(step, Phase::kSync), kS);
  EXPECT_EQ(step.generator_busy, 9 * kS);
}

TEST(Verl, TimesThatCannotBeAreNotKnown) {
  const LogStep step =
      StepOf(RowOf({{"timing_s/gen", -1}, {"timing_s/update_actor", 1e300}, {"timing_s/step", 5}}),
             Framework::kVerl);
  EXPECT_EQ(In(step, Phase::kGenerate), std::nullopt);
  EXPECT_EQ(In(step, Phase::kTrain), std::nullopt);
}

// _prepare_inputs 6 s = 3 generation + 1 sync + 0.5 rewards + 1.5 log-probabilities of which the
// timer has 2 (the rest is the loss's); the step of 10 s trains for 4.
TEST(Trl, TrainingIsTheStepWithoutPreparation) {
  const std::string prefix = "profiling/Time taken: GRPOTrainer.";
  const LogStep step = StepOf(RowOf({{prefix + "vLLM.generate", 3},
                                     {prefix + "sync_weights", 1},
                                     {prefix + "_calculate_rewards", 0.5},
                                     {prefix + "_get_per_token_logps_and_entropies", 2},
                                     {prefix + "_prepare_inputs", 6},
                                     {prefix + "compute_loss", 1},
                                     {"step_time", 10}}),
                              Framework::kTrl);
  EXPECT_EQ(In(step, Phase::kGenerate), 3 * kS);
  EXPECT_EQ(In(step, Phase::kSync), kS);
  EXPECT_EQ(In(step, Phase::kReward), kS / 2);
  EXPECT_EQ(In(step, Phase::kLogProb), 3 * kS / 2);
  EXPECT_EQ(In(step, Phase::kTrain), 4 * kS);
}

TEST(OpenRlhf, PhasesThatExceedTheStepLieBesideIt) {
  const auto step_of = [](double total) {
    return StepOf(RowOf({{"timing/generation", 5},
                         {"timing/make_experience", 2},
                         {"timing/ppo_train", 3},
                         {"timing/broadcast", 1},
                         {"timing/step_total", total}}),
                  Framework::kOpenRlhf);
  };
  EXPECT_EQ(step_of(11).layout, Layout::kColocated);
  EXPECT_EQ(In(step_of(11), Phase::kGenerate), 5 * kS);
  EXPECT_EQ(step_of(6.5).layout, Layout::kSplit);
  EXPECT_EQ(step_of(6.5).generator_busy, 5 * kS);
  EXPECT_EQ(In(step_of(6.5), Phase::kGenerate), std::nullopt);
}

TEST(Torchforge, TheTrainersLoop) {
  const LogStep step =
      StepOf(RowOf({{"main_perf/continuous_training/total_duration_avg_s", 10},
                    {"main_perf/continuous_training/waiting_for_buffer/duration_avg_s", 4},
                    {"main_perf/continuous_training/train_step/duration_avg_s", 3},
                    {"main_perf/continuous_training/push_weights/duration_avg_s", 1},
                    {"main_perf/continuous_training/update_weights/duration_avg_s", 2}}),
             Framework::kTorchforge);
  EXPECT_EQ(step.wall, 10 * kS);
  EXPECT_EQ(In(step, Phase::kWait), 4 * kS);
  EXPECT_EQ(In(step, Phase::kTrain), 3 * kS);
  EXPECT_EQ(In(step, Phase::kSync), 3 * kS);
}

TEST(Framework, IsToldByNames) {
  EXPECT_EQ(FrameworkOf(RowOf({{"timing_s/gen", 1}})), Framework::kVerl);
  EXPECT_EQ(FrameworkOf(RowOf({{"train/step_time", 1}})), Framework::kTrl);
  EXPECT_EQ(FrameworkOf(RowOf({{"timing/ppo_train", 1}})), Framework::kOpenRlhf);
  EXPECT_EQ(FrameworkOf(RowOf({{"weight_sync/time_seconds", 1}})), Framework::kTorchforge);
  EXPECT_EQ(FrameworkOf(RowOf({{"loss", 1}})), std::nullopt);
}

}  // namespace
}  // namespace rankscope::post_training
