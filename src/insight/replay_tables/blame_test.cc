// blame, late_arrivals and slack_over_ranks: of small jobs, by hand. What is charged with what is
// tested in replay/peers/late_arrivals_test.cc.
#include "insight/replay_tables/blame.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/units_for_test.h"
#include "insight/replay_tables/slack_over_ranks.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

// Steps of 1000 us: the host launches a product at 20, of 300 us unless `gemm_us` (by rank and
// step) says otherwise, and an all-reduce that ends at 900, for which it waits until 930. The first
// step does not count, since before it nothing is known.
JobForTest Job(const std::vector<std::vector<std::int64_t>>& gemm_us) {
  JobForTest job;
  std::string ranks = "[0";
  for (std::size_t rank = 1; rank < gemm_us.size(); ++rank) ranks += ", " + std::to_string(rank);
  for (std::size_t rank = 0; rank < gemm_us.size(); ++rank) {
    TraceForTest trace;
    for (std::size_t i = 0; i < gemm_us[rank].size(); ++i) {
      const auto step = static_cast<std::int64_t>(i);
      const std::int64_t t = 1000 * step;
      const std::int64_t product = gemm_us[rank][i];
      trace.Step(step, t * kUs, 1000 * kUs)
          .Op(1, "aten::mm", t * kUs, 20 * kUs, "[[8,8],[8,8]]")
          .Launch(10 * step + 1, (t + 10) * kUs, 5 * kUs)
          .Kernel(7, "gemm", (t + 20) * kUs, product * kUs, 10 * step + 1)
          .Launch(10 * step + 2, (t + 20) * kUs, 5 * kUs)
          .Comm(7, (t + 20 + product) * kUs, (880 - product) * kUs,
                {.name = "allreduce",
                 .in = 1000,
                 .out = 1000,
                 .ranks = ranks + "]",
                 .size = static_cast<std::int32_t>(gemm_us.size())})
          .Linked(10 * step + 2)
          .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", (t + 30) * kUs, 900 * kUs,
                10 * step + 3);
    }
    job.Add(static_cast<std::int64_t>(rank), trace.Build(1'000'000));
  }
  return job;
}

std::string Blame(const JobForTest& job) {
  return Rows(job.Run(BlameAnalysis()),
              {"rank", "ranks", "peers", "cause", "op", "late_arrivals", "blamed_ns", "share_pct",
               "step_pct", "steps", "of_steps", "pattern"});
}

// 200 us in each of four steps of 1000.
TEST(Blame, AFixedStraggler) {
  EXPECT_EQ(
      Blame(Job({{300, 300, 300, 300, 300}, {300, 300, 300, 300, 300}, {500, 500, 500, 500, 500}})),
      "2,2,0-2,slower kernels,aten::mm,4,800000,100,20,4,4,fixed\n");
}

TEST(Blame, RotatingStragglers) {
  EXPECT_EQ(
      Blame(Job({{300, 500, 300, 300, 300}, {300, 300, 600, 300, 300}, {300, 300, 300, 700, 300}})),
      "2,2,0-2,slower kernels,aten::mm,1,400000,44.44444444444444,10,1,4,rotating\n"
      "1,1,0-2,slower kernels,aten::mm,1,300000,33.333333333333336,7.5,1,4,rotating\n"
      "0,0,0-2,slower kernels,aten::mm,1,200000,22.22222222222222,5,1,4,rotating\n");
}

// Less than 1 % of the step 3 is no step in which it occurs.
TEST(Blame, ARandomStraggler) {
  EXPECT_EQ(
      Blame(Job({{300, 300, 300, 300, 300}, {300, 300, 500, 309, 300}, {300, 300, 300, 300, 300}})),
      "1,1,0-2,slower kernels,aten::mm,2,209000,100,5.225,1,4,random\n");
}

TEST(Blame, TwoStepsMakeNoPattern) {
  EXPECT_EQ(Blame(Job({{300, 300, 300}, {300, 300, 300}, {500, 500, 500}})),
            "2,2,0-2,slower kernels,aten::mm,2,400000,100,20,2,2,\n");
}

// In step 1 rank 2 comes 200 after the first and 100 after the next; in step 2 within what the
// clocks leave open.
TEST(LateArrivals, TellEachRendezvous) {
  const JobForTest job = Job({{300, 300, 300, 300}, {300, 400, 300, 300}, {300, 500, 301, 300}});
  const Table late = job.Run(LateArrivalsAnalysis());
  EXPECT_EQ(Rows(late, {"step", "group", "ordinal", "op", "members", "at_ns", "first_rank",
                        "last_rank", "skew_ns", "wait_ns", "marginal_ns", "root_ranks",
                        "root_cause", "root_ns", "root_op"}),
            "1,0,1,all_reduce,3,1520000,0,2,200000,300000,100000,2,slower kernels,200000,"
            "aten::mm\n");
  // The row of the product in rank 2's file: seven a step, the product the fourth.
  EXPECT_EQ(IntCell(late, 0, "root_event"), 7 + 3);
}

TEST(Blame, SumsToTheSkewOfAll) {
  const JobForTest job =
      Job({{300, 310, 350, 420, 300}, {300, 330, 280, 333, 411}, {350, 500, 301, 300, 290}});
  const auto sum = [](const Table& table, std::string_view column) {
    std::int64_t ns = 0;
    for (std::size_t row = 0; row < table.row_count(); ++row) ns += IntCell(table, row, column);
    return ns;
  };
  EXPECT_EQ(sum(job.Run(BlameAnalysis()), "blamed_ns"), (190 + 70 + 120 + 121) * kUs);
  EXPECT_EQ(sum(job.Run(LateArrivalsAnalysis()), "skew_ns"), (190 + 70 + 120 + 121) * kUs);
}

TEST(Blame, NobodyIsLateNobodyIsBlamed) {
  JobForTest even = Job({{300, 300, 300}, {300, 300, 300}, {300, 300, 300}});
  JobForTest nothing;
  nothing.Add(0, TraceForTest().Build());
  for (const JobForTest* job : std::vector<const JobForTest*>{&even, &nothing}) {
    EXPECT_EQ(job->Run(BlameAnalysis()).row_count(), 0U);
    EXPECT_EQ(job->Run(LateArrivalsAnalysis()).row_count(), 0U);
  }
  EXPECT_EQ(nothing.Run(SlackOverRanksAnalysis()).row_count(), 0U);
}

// Rank 1 decides: its product of 500 and the transfer of 380 behind it, of both ranks. Rank 0 could
// compute 200 longer, which is more than 1 % of the step: 380 of its 680 are critical. From the end
// at 900 to the next product at 20 rank 1's host is critical for 110: 30 of the call that waited,
// 70 until the step's end, and 10 until the launch. Behind the last step's end no step waits for
// the host.
TEST(SlackOverRanks, OfTwoRanks) {
  EXPECT_EQ(Rows(Job({{300, 300, 300}, {500, 500, 500}}).Run(SlackOverRanksAnalysis()),
                 {"step", "rank", "least_slack_ns", "compute_ns", "communication_ns", "copy_ns",
                  "host_ns", "near_pct"}),
            "1,0,200000,0,380000,0,0,55.88235294117647\n"
            "1,1,0,500000,380000,0,110000,100\n"
            "2,0,200000,0,380000,0,0,55.88235294117647\n"
            "2,1,0,500000,380000,0,10000,100\n");
}

}  // namespace
}  // namespace rankscope
