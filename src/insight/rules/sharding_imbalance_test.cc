// sharding-imbalance: the sharding plan gives ranks unequal work.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// The first `heavy` ranks from rank 1 on have three times the tables of the others.
Table Tables(int heavy, std::string_view op = "aten::embedding_bag") {
  JobPlan plan;
  plan.op_name = op;
  plan.step = [=](int rank, int) {
    const bool is_heavy = rank >= 1 && rank <= heavy;
    return RankStep{.product = is_heavy ? 900 : 300,
                    .shapes = is_heavy ? "[[3000,64],[64]]" : "[[1000,64],[64]]"};
  };
  return FindingsOf(plan);
}

// Embeddings of rank 1 take 900 us, those of the others 300.
TEST(ShardingImbalance, OneRankHasMore) {
  const Table findings = Tables(1);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "steps", "title"}),
            "sharding-imbalance,high,1,1-3,rank 1 has more of the sharded tables than the others: "
            "their kernels take from 300 us to 900 us a step\n");
  EXPECT_TRUE(Rows(findings, {"places"}).starts_with(R"([{"op":"aten::embedding_bag")"));
  // Tables do not go away: with a quarter of 1800 us on each, 450 in place of 900; the first step,
  // which begins otherwise, does not count. It is what the proposal says, too.
  EXPECT_NEAR(Gain(findings), 100 * 450.0 / 1270, 1e-9);
  EXPECT_NE(Rows(findings, {"recommendation"}).find("820 us then, 35.4% less."), std::string::npos);
}

TEST(ShardingImbalance, EvenTables) { EXPECT_EQ(Ids(Tables(0)), ""); }

// Three of four: no rank is out of line.
TEST(ShardingImbalance, OfHalfOfTheRanksAtMost) {
  EXPECT_EQ(Ids(Tables(2)), "sharding-imbalance\n");
  EXPECT_EQ(Ids(Tables(3)), "");
}

TEST(ShardingImbalance, OtherOpsAreNoTables) {
  EXPECT_EQ(Ids(Tables(1, "our::layer")), "sequence-imbalance\n");
}

}  // namespace
}  // namespace rankscope
