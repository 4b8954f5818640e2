#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units_for_test.h"
#include "post_training/inputs/input_file.h"

namespace rankscope::post_training {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

PostData Read(std::string_view text) {
  PostData data;
  const Status status = ReadPostTrainingFile({.path = "a.log", .text = text}, data);
  EXPECT_TRUE(status.ok()) << status.message();
  return data;
}

Status Refused(std::string_view text) {
  PostData data;
  const Status status = ReadPostTrainingFile({.path = "a.log", .text = text}, data);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), ::testing::StartsWith("a.log: "));
  return status;
}

TEST(ReadFile, AResumedRunsStepCountsOnce) {
  const PostData data = Read(
      "step:1 - timing_s/step:5\n"
      "step:2 - timing_s/step:6\n"
      "step:2 - timing_s/step:7\n");
  ASSERT_EQ(data.log_steps.size(), 2u);
  EXPECT_EQ(data.log_steps[1].wall, 7 * kS);
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("1 of the steps stand there again")));
}

// Trainer and rollouter of a fully asynchronous run log each by itself.
TEST(ReadFile, RowsOfOneStepArePutTogether) {
  const PostData data = Read(
      "step:1 - fully_async/rollouter/active_time:3 - fully_async/rollouter/version_time:8\n"
      "step:1 - fully_async/count/stale_samples_processed:2 - timing_s/gen:4 - timing_s/step:9\n");
  ASSERT_EQ(data.log_steps.size(), 1u);
  EXPECT_EQ(data.log_steps[0].layout, Layout::kSplit);
  EXPECT_EQ(data.log_steps[0].generator_busy, 3 * kS);
  EXPECT_EQ(data.log_steps[0].generator_wall, 8 * kS);
  EXPECT_EQ(data.log_steps[0].wall, 9 * kS);
  EXPECT_TRUE(data.notes.empty());
}

// wandb's rows of TRL: timers by themselves, then the step.
TEST(ReadFile, TimersOfTrlBelongToTheStepThatFollows) {
  const PostData data = Read(R"({"profiling/Time taken: GRPOTrainer._prepare_inputs": 2, "_step": 0}
{"profiling/Time taken: GRPOTrainer._prepare_inputs": 1, "_step": 1}
{"train/step_time": 5, "train/global_step": 1, "_step": 2}
{"profiling/Time taken: GRPOTrainer._prepare_inputs": 4, "_step": 3}
{"train/step_time": 5, "train/global_step": 2, "_step": 4}
)");
  ASSERT_EQ(data.log_steps.size(), 2u);
  EXPECT_EQ(data.log_steps[0].step, 1);
  const auto train = static_cast<std::size_t>(Phase::kTrain);
  EXPECT_EQ(data.log_steps[0].phases[train], 2 * kS);
  EXPECT_EQ(data.log_steps[1].phases[train], kS);
}

TEST(ReadFile, DictsThatTrlPrinted) {
  const PostData data =
      Read("{'loss': 0.1, 'step_time': 12.5}\n{'loss': 0.1, 'step_time': '11.5'}\n");
  ASSERT_EQ(data.log_steps.size(), 2u);
  EXPECT_EQ(data.log_steps[0].step, 0);
  EXPECT_EQ(data.log_steps[1].wall, 11'500'000'000);
}

TEST(ReadFile, BlocksOfTorchforge) {
  const PostData data = Read(
      "=== [global_reduce] - METRICS STEP 3 ===\n"
      "  main_perf/continuous_training/total_duration_avg_s: 5.5\n"
      "  INFO main_perf/continuous_training/waiting_for_buffer/duration_avg_s: 2.0\n"
      "==============================\n"
      "  main_perf/continuous_training/total_duration_avg_s: 9\n");
  ASSERT_EQ(data.log_steps.size(), 1u);
  EXPECT_EQ(data.log_steps[0].step, 3);
  EXPECT_EQ(data.log_steps[0].wall, 5'500'000'000);
  EXPECT_EQ(data.log_steps[0].phases[static_cast<std::size_t>(Phase::kWait)], 2 * kS);
}

TEST(ReadFile, HistoryOfATrainersState) {
  const PostData data =
      Read(R"({"log_history": [{"step": 5, "step_time": 2.5}, {"step": 6, "step_time": 3}]})");
  ASSERT_EQ(data.log_steps.size(), 2u);
  EXPECT_EQ(data.log_steps[1].step, 6);
  EXPECT_EQ(data.log_steps[1].wall, 3 * kS);
}

TEST(ReadFile, RecordsOfOnesOwn) {
  const PostData data = Read(
      R"({"phase": "update_actor", "role": "trainer", "step": 2, "begin": 1.5, "end": 2, "gpus": 8}
{"phase": "dance", "begin_ns": 5, "end_ns": 7}
{"id": "x", "begin_ns": 1, "end_ns": 4, "output_tokens": 3, "version": 1, "tools": 0.5}
{"micro_batch": 3, "tokens": 7, "padded": 5}
{"begin": 3, "end": 2}
nonsense
)");
  ASSERT_EQ(data.phases.size(), 2u);
  EXPECT_EQ(data.phases[0].phase, Phase::kTrain);
  EXPECT_EQ(data.phases[0].begin, 1'500'000'000);
  EXPECT_EQ(data.phases[0].gpus, 8);
  EXPECT_EQ(data.phases[1].phase, Phase::kOther);
  EXPECT_EQ(data.phases[1].role, "job");
  ASSERT_EQ(data.rollouts.size(), 1u);
  EXPECT_EQ(data.rollouts[0].response_tokens, 3);
  EXPECT_EQ(data.rollouts[0].weight_version, 1);
  EXPECT_EQ(data.rollouts[0].step, std::nullopt);
  EXPECT_EQ(data.rollouts[0].tools, kS / 2);
  ASSERT_EQ(data.sequences.size(), 1u);
  EXPECT_EQ(data.sequences[0].padded, std::nullopt);  // below its own tokens
  EXPECT_THAT(data.notes,
              ElementsAre("a.log: 2 of 6 lines could not be used, the first at line 5"));
}

TEST(ReadFile, WhatIsNothingOfARunIsSaid) {
  EXPECT_EQ(Refused("").code(), StatusCode::kBadData);
  EXPECT_EQ(Refused("hello\n").code(), StatusCode::kNotFound);
  EXPECT_EQ(Refused("timing_s/gen but no step\n").code(), StatusCode::kNotFound);
  EXPECT_EQ(Refused("{\"traceEvents\": []}").code(), StatusCode::kNotFound);
  EXPECT_EQ(Refused("{\"phase\": \"train\"}\n").code(), StatusCode::kBadData);
  EXPECT_EQ(Refused("{\"log_history\": [{\"step_time\": 1}").code(), StatusCode::kBadData);
}

}  // namespace
}  // namespace rankscope::post_training
