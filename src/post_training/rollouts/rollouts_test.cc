#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "post_training/rollouts/batches.h"
#include "post_training/rollouts/staleness.h"

namespace rankscope::post_training {
namespace {

Rollout Sample(std::int64_t begin, std::int64_t end, std::string replica = "",
               Count tokens = std::nullopt, Count step = std::nullopt) {
  return {.replica = std::move(replica),
          .step = step,
          .begin = begin,
          .end = end,
          .response_tokens = tokens};
}

// Four slots: two end at 10, one at 20, one at 100. From 10 on two of four are active, from 20 on
// one: the tail is 80, and 3 x 80 of 400 slot-time are idle in it.
TEST(Batches, TheTailBeginsBelowHalfOfTheSlots) {
  const Batches all = BatchesOf({Sample(0, 10), Sample(0, 10), Sample(0, 20), Sample(0, 100)});
  ASSERT_EQ(all.batches.size(), 1u);
  const Batch& batch = all.batches[0];
  EXPECT_EQ(batch.step, std::nullopt);
  EXPECT_EQ(batch.slots, 4);
  EXPECT_EQ(batch.tail, 80);
  EXPECT_DOUBLE_EQ(batch.tail_idle, 0.6);
  EXPECT_EQ(batch.sample_time, 140);
  EXPECT_EQ(batch.gain_partial, 100 - 140 / 4);
  EXPECT_EQ(batch.gain_p95, 0);   // 0.95 x 4 needs all
  EXPECT_EQ(batch.gain_more, 0);  // so does 0.8 x 4
}

// Ends 1 .. 20: 95 % are 19, 80 % are 16.
TEST(Batches, GainsByTheRecordedEnds) {
  std::vector<Rollout> rollouts;
  for (std::int64_t end = 1; end <= 20; ++end) rollouts.push_back(Sample(0, end == 20 ? 50 : end));
  const Batch batch = BatchesOf(rollouts).batches[0];
  EXPECT_EQ(batch.gain_p95, 50 - 19);
  EXPECT_EQ(batch.gain_more, 50 - 16);
}

TEST(Batches, ASlotIsTakenAgainAtTheSameMoment) {
  const Batch batch = BatchesOf({Sample(0, 5), Sample(5, 10)}).batches[0];
  EXPECT_EQ(batch.slots, 1);
  EXPECT_EQ(batch.tail, 0);
  EXPECT_EQ(batch.tail_idle, 0);
}

// Replicas have 90 and 30 tokens: 1 - 60 / 90. D = 100, longest 60: even replicas would end after
// 100 x 60 / 90 = 66. Lengths 30: no scatter, so nothing is by chance.
TEST(Batches, UnevenReplicas) {
  const Batch batch = BatchesOf({Sample(0, 60, "a", 30), Sample(0, 50, "a", 30),
                                 Sample(50, 100, "a", 30), Sample(0, 40, "b", 30)})
                          .batches[0];
  ASSERT_EQ(batch.replicas.size(), 2u);
  EXPECT_EQ(batch.replicas[0].tokens, 90);
  EXPECT_EQ(batch.replicas[1].end, 40);
  EXPECT_DOUBLE_EQ(batch.imbalance, 1 - 60.0 / 90);
  EXPECT_DOUBLE_EQ(batch.by_chance, 0);
  EXPECT_EQ(batch.gain_even, 100 - 66);
}

TEST(Batches, ASampleWithoutReplicaTellsNoneOfTheBatch) {
  EXPECT_TRUE(BatchesOf({Sample(0, 6, "a", 3), Sample(0, 5, "", 3)}).batches[0].replicas.empty());
}

TEST(Batches, ThoseThatRunIntoEachOtherAreContinuous) {
  const auto of = [](std::int64_t next) {
    return BatchesOf({Sample(0, 100, "", {}, 1), Sample(next, 200, "", {}, 2)}).is_continuous;
  };
  EXPECT_TRUE(of(50));
  EXPECT_FALSE(of(96));
  EXPECT_FALSE(of(100));
}

TEST(Staleness, IsCountedInVersions) {
  PostData data;
  for (const auto& [made, trained] :
       {std::pair<Count, Count>(1, 1), {1, 3}, {1, 3}, {1, {}}, {4, 3}})
    data.rollouts.push_back({.weight_version = made, .trained_version = trained});
  const Staleness staleness = StalenessOf(data);
  ASSERT_EQ(staleness.bins.size(), 2u);
  EXPECT_EQ(staleness.bins[1].versions, 2);
  EXPECT_EQ(staleness.bins[1].samples, 2);
  EXPECT_DOUBLE_EQ(*staleness.mean, 4.0 / 3);
}

TEST(Staleness, OfALogIsItsMean) {
  PostData data;
  data.log_steps.push_back({.facts = {.staleness_mean = 1, .staleness_max = 3}});
  data.log_steps.push_back({.facts = {.staleness_mean = 2}});
  const Staleness staleness = StalenessOf(data);
  EXPECT_TRUE(staleness.is_of_log);
  EXPECT_DOUBLE_EQ(*staleness.mean, 1.5);
  EXPECT_DOUBLE_EQ(*staleness.most, 3);
}

}  // namespace
}  // namespace rankscope::post_training
