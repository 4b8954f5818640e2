#include "sim/serving/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "sim/model/jitter.h"

namespace rankscope::sim {
namespace {

std::unique_ptr<Sequence> Make(std::int64_t prompt, std::int64_t output) {
  auto sequence = std::make_unique<Sequence>();
  sequence->spec = {.prompt_tokens = prompt, .output_tokens = output};
  sequence->record.prompt_tokens = prompt;
  return sequence;
}

// Computes the step and gives a token to all that have been computed.
void Finish(Scheduler& scheduler, const std::vector<Scheduled>& step) {
  scheduler.Complete(step);
  for (const Scheduled& one : step)
    if (one.sequence->computed == one.sequence->Known()) ++one.sequence->record.output_tokens;
}

std::vector<std::int64_t> Tokens(const std::vector<Scheduled>& step) {
  std::vector<std::int64_t> tokens;
  for (const Scheduled& one : step) tokens.push_back(one.tokens);
  return tokens;
}

TEST(Scheduler, RunningRequestsComeFirstAndPromptsAreCutToTheBudget) {
  Scheduler scheduler({.max_num_seqs = 8, .max_num_batched_tokens = 100}, 1000);
  const auto first = Make(60, 5), second = Make(70, 5);
  scheduler.Enqueue(first.get());
  scheduler.Enqueue(second.get());
  const auto& step = scheduler.Schedule(0);
  EXPECT_THAT(Tokens(step), testing::ElementsAre(60, 40));
  Finish(scheduler, step);
  const auto& next = scheduler.Schedule(1);
  EXPECT_THAT(Tokens(next), testing::ElementsAre(1, 30));
  EXPECT_TRUE(next[0].is_generation);
  EXPECT_FALSE(next[1].is_generation);
}

TEST(Scheduler, NoMoreRunThanThereArePlaces) {
  Scheduler scheduler({.max_num_seqs = 2, .max_num_batched_tokens = 100}, 1000);
  std::vector<std::unique_ptr<Sequence>> all;
  for (int i = 0; i < 3; ++i) scheduler.Enqueue(all.emplace_back(Make(4, 2)).get());
  EXPECT_EQ(scheduler.Schedule(0).size(), 2U);
  EXPECT_EQ(scheduler.waiting(), 1);
}

TEST(Scheduler, ALongPromptIsCutAtItsThreshold) {
  Scheduler scheduler({.max_num_batched_tokens = 100, .long_prefill_token_threshold = 25}, 1000);
  const auto longer = Make(80, 1), brief = Make(10, 1);
  scheduler.Enqueue(longer.get());
  scheduler.Enqueue(brief.get());
  EXPECT_THAT(Tokens(scheduler.Schedule(0)), testing::ElementsAre(25, 10));
}

TEST(Scheduler, WithoutChunksAPromptWaitsForAWholeStep) {
  Scheduler scheduler({.max_num_batched_tokens = 100, .chunks_prompts = false}, 1000);
  const auto first = Make(60, 1), second = Make(60, 1);
  scheduler.Enqueue(first.get());
  scheduler.Enqueue(second.get());
  EXPECT_THAT(Tokens(scheduler.Schedule(0)), testing::ElementsAre(60));
}

// Four blocks: two prompts of 32 tokens fill them, and the first token behind needs a fifth.
TEST(Scheduler, TheNewestLosesItsBlocksAndComesBackFirst) {
  Scheduler scheduler({.max_num_batched_tokens = 100}, 4);
  const auto old = Make(32, 40), young = Make(32, 40), later = Make(8, 1);
  for (const auto& one : {old.get(), young.get(), later.get()}) scheduler.Enqueue(one);
  Finish(scheduler, scheduler.Schedule(0));
  EXPECT_EQ(scheduler.pool().free(), 0);
  const auto& step = scheduler.Schedule(1);
  EXPECT_THAT(Tokens(step), testing::ElementsAre(1));
  EXPECT_EQ(step[0].sequence, old.get());
  EXPECT_EQ(scheduler.preemptions(), 1);
  EXPECT_EQ(young->record.preemptions, 1);
  EXPECT_TRUE(young->blocks.empty());
  EXPECT_EQ(young->Known(), 33);  // its output is computed anew with the prompt
  Finish(scheduler, step);
  scheduler.Remove(old.get());
  const auto& last = scheduler.Schedule(2);
  EXPECT_EQ(last[0].sequence, young.get());
  EXPECT_EQ(last[0].tokens, 33);
  EXPECT_FALSE(last[0].is_generation);
}

TEST(Scheduler, APromptThatBeginsTheSameIsTakenFromTheCacheButForItsLastToken) {
  Scheduler scheduler({.max_num_batched_tokens = 100}, 100);
  const auto first = Make(32, 1), second = Make(32, 1), third = Make(40, 1);
  first->spec.block_hashes = second->spec.block_hashes = {11, 22};
  third->spec.block_hashes = {11, 33};
  scheduler.Enqueue(first.get());
  Finish(scheduler, scheduler.Schedule(0));
  scheduler.Remove(first.get());
  EXPECT_EQ(scheduler.pool().free(), 100);
  scheduler.Enqueue(second.get());
  scheduler.Enqueue(third.get());
  EXPECT_THAT(Tokens(scheduler.Schedule(1)), testing::ElementsAre(16, 24));
  EXPECT_EQ(second->record.cached_tokens, 16);
  EXPECT_EQ(second->blocks[0], third->blocks[0]);
}

// Whatever happens, blocks are free or somebody's, and those of different prompts are different.
TEST(Scheduler, BlocksAreConserved) {
  Scheduler scheduler({.max_num_seqs = 12, .max_num_batched_tokens = 128}, 60);
  std::vector<std::unique_ptr<Sequence>> all;
  std::uint64_t draw = 1;
  for (int round = 0; round < 3000; ++round) {
    draw = Mix(draw);
    if (draw % 3 == 0 && all.size() < 40) {
      auto& made = all.emplace_back(Make(1 + static_cast<std::int64_t>(draw / 8 % 200), 500));
      const std::uint64_t family = draw / 4096 % 4;
      for (std::int64_t i = 0; i < made->record.prompt_tokens / 16; ++i)
        made->spec.block_hashes.push_back(MixAll(family, static_cast<std::uint64_t>(i), 7));
      scheduler.Enqueue(made.get());
    }
    Finish(scheduler, scheduler.Schedule(round));
    std::erase_if(all, [&](const auto& one) {
      draw = Mix(draw);
      const bool is_over = one->record.output_tokens > 0 && draw % 40 == 0;
      if (is_over || one->Known() > 900) scheduler.Remove(one.get());
      return is_over || one->Known() > 900;
    });
    std::set<std::uint32_t> used;
    for (const auto& one : all) {
      std::set<std::uint32_t> own(one->blocks.begin(), one->blocks.end());
      ASSERT_EQ(own.size(), one->blocks.size());
      ASSERT_GE(one->blocks.size() * 16, static_cast<std::size_t>(one->computed));
      used.insert(own.begin(), own.end());
    }
    ASSERT_EQ(static_cast<std::int64_t>(used.size()) + scheduler.pool().free(), 60);
  }
  EXPECT_GT(scheduler.preemptions(), 10);
  for (const auto& one : all) scheduler.Remove(one.get());
  EXPECT_EQ(scheduler.pool().free(), 60);
}

}  // namespace
}  // namespace rankscope::sim
