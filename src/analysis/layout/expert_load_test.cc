#include <gtest/gtest.h>

#include "analysis/across/analyses.h"
#include "analysis/layout/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

// Three ranks of one expert group; every exchange is a dispatch and a combine. `sent[i]` are the
// rows that this rank sends to rank i, `got[i]` those that it gets.
struct Exchange {
  std::string_view sent;
  std::string_view got;
  std::int64_t rows_sent = 0;
  std::int64_t rows_got = 0;
};

RankTrace RankWith(const std::vector<Exchange>& exchanges, std::int64_t experts_ns) {
  TraceForTest trace;
  trace.Step(0, 0, 10'000);
  std::int64_t t = 100;
  for (const Exchange& exchange : exchanges) {
    const auto all_to_all = [&](const Exchange& sizes) {
      trace.Comm(20, t, 10,
                 {.name = "all_to_allv",
                  .in = 4 * sizes.rows_sent,
                  .out = 4 * sizes.rows_got,
                  .ranks = "[0, 1, 2]",
                  .size = 3,
                  .description = "EXPERT_MODEL_PARALLEL_GROUP",
                  .in_split = sizes.sent,
                  .out_split = sizes.got});
    };
    all_to_all(exchange);
    t += 10 + experts_ns;
    all_to_all({exchange.got, exchange.sent, exchange.rows_got, exchange.rows_sent});
    t += 400;
  }
  return trace.Build();
}

// First exchange: ranks compute 60, 30 and 30 rows; second: 20, 80, 20. Elements are 4 per row.
JobForTest Uneven() {
  JobForTest job;
  job.Add(0, RankWith(
                 {{"[20, 10, 10]", "[20, 20, 20]", 40, 60}, {"[10, 20, 10]", "[10, 5, 5]", 40, 20}},
                 60));
  job.Add(1, RankWith(
                 {{"[20, 10, 10]", "[10, 10, 10]", 40, 30}, {"[5, 30, 5]", "[20, 30, 30]", 40, 80}},
                 30));
  job.Add(2,
          RankWith({{"[20, 10, 10]", "[10, 10, 10]", 40, 30}, {"[5, 30, 5]", "[10, 5, 5]", 40, 20}},
                   30));
  return job;
}

TEST(ExpertLoad, ByHand) {
  // Means are 40 rows: 60 / 40 = 1.5 and 80 / 40 = 2. Variations: sqrt((0.25 + 2 * 0.0625) / 3) and
  // sqrt((1 + 2 * 0.25) / 3). Gini: mean absolute difference / 2 means: (4 * 30) / (9 * 80) and
  // (4 * 60) / (9 * 80). The slowest experts take 60, the mean 40.
  const Table table = Uneven().Run(ExpertLoadAnalysis());
  EXPECT_EQ(Rows(table, {"group", "exchange", "source", "ranks", "steps", "mean_rows",
                         "max_over_mean", "hottest_rank", "persistence_pct", "excess_ns"}),
            "0,0,all-to-all sizes,3,1,40,1.5,0,100,20\n0,1,all-to-all sizes,3,1,40,2,1,100,20\n");
  EXPECT_NEAR(table.Double(0, *table.Find("variation")), 0.35355339, 1e-8);
  EXPECT_NEAR(table.Double(1, *table.Find("variation")), 0.70710678, 1e-8);
  EXPECT_NEAR(table.Double(0, *table.Find("gini")), 1.0 / 6, 1e-12);
  EXPECT_NEAR(table.Double(1, *table.Find("gini")), 1.0 / 3, 1e-12);
  EXPECT_EQ(Rows(Uneven().Run(ExpertRanksAnalysis()),
                 {"rank", "exchanges", "rows", "load", "max_load", "hottest_count", "experts_ns"}),
            "0,2,80,1,1.5,1,120\n1,2,110,1.375,2,1,60\n2,2,50,0.625,0.75,0,60\n");
}

// Both ways of both exchanges: rank 0 sends itself 20 + 20 + 10 + 10 rows of 16 bytes.
TEST(ExpertLoad, MatrixOfExchanges) {
  const Table table = Uneven().Run(AllToAllAnalysis());
  EXPECT_EQ(table.row_count(), 9U);
  EXPECT_EQ(Rows(table, {"groups", "source_rank", "destination_rank", "count", "bytes", "min_bytes",
                         "max_bytes"})
                .substr(0, 110),
            "EXPERT_MODEL_PARALLEL_GROUP (3 ranks),0,0,4,960,160,320\n"
            "EXPERT_MODEL_PARALLEL_GROUP (3 ranks),0,1,4,880,80,320");
}

// Its rows grow with the square of the ranks.
TEST(AllToAll, EndsWithTheLastSourceThatFits) {
  const auto sources_and_left_out = [](const char* rows) {
    return Rows(Uneven().Run(AllToAllAnalysis(), {{"rows", rows}}), {"source_rank", "left_out"});
  };
  const std::string all = "0,0\n0,0\n0,0\n1,0\n1,0\n1,0\n2,0\n2,0\n2,0\n";
  EXPECT_EQ(sources_and_left_out("0"), all);
  EXPECT_EQ(sources_and_left_out("9"), all);
  EXPECT_EQ(sources_and_left_out("8"), "0,3\n0,3\n0,3\n1,3\n1,3\n1,3\n");
  EXPECT_EQ(sources_and_left_out("1"), "0,6\n0,6\n0,6\n") << "the first is always there";
}

// Kernels that say no sizes: the rows of grouped matrix products do.
TEST(ExpertLoad, ByGroupedGemms) {
  JobForTest job;
  for (const auto& [rank, dims] :
       {std::pair{0, "[[10,64],[4,64,64]]"}, std::pair{1, "[[30,64],[4,64,64]]"}}) {
    TraceForTest trace;
    trace.Step(0, 0, 1000).Op(1, "aten::_grouped_mm", 100, 50, dims);
    // The backward multiplies the same rows again.
    trace.Host(2, EventKind::kCpuOp, "autograd::engine::evaluate_function: GroupedMmBackward0", 300,
               100);
    trace.Op(2, "aten::_grouped_mm", 310, 50, dims);
    job.Add(rank, trace.Build());
  }
  EXPECT_EQ(Rows(job.Run(ExpertLoadAnalysis()), {"exchange", "source", "ranks", "mean_rows",
                                                 "max_over_mean", "hottest_rank", "excess_ns"}),
            "0,shapes of grouped GEMMs,2,20,1.5,1,\n");
}

TEST(ExpertLoad, NoneWithoutExperts) {
  TraceForTest trace;
  trace.Step(0, 0, 100).Kernel(7, "gemm", 10, 20);
  JobForTest job;
  job.Add(0, trace.Build());
  EXPECT_EQ(job.Run(ExpertLoadAnalysis()).row_count(), 0U);
  EXPECT_EQ(job.Run(ExpertRanksAnalysis()).row_count(), 0U);
  EXPECT_EQ(job.Run(AllToAllAnalysis()).row_count(), 0U);
}

}  // namespace
}  // namespace rankscope
