// slow-link: the transfers of some ranks take longer than the same transfers of others; in a mesh,
// which rank of two slow groups it is.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/units_for_test.h"
#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Ranks 0 and 1, 2 and 3 reduce together, then 0 and 2, 1 and 3. Each step: 2000 us of computing,
// the first transfer of 100 us, the second one of 40, where they are not those of slow links.
std::string RanksOfSlowLink(std::int64_t first_of_0_1, std::int64_t second_of_1_3) {
  JobForTest job;
  for (const std::int64_t rank : {0, 1, 2, 3}) {
    TraceForTest trace;
    const std::int64_t first = rank < 2 ? first_of_0_1 : 100;
    const std::int64_t second = rank % 2 == 1 ? second_of_1_3 : 40;
    const std::int64_t met = 2020 + std::max<std::int64_t>(first_of_0_1, 100);
    for (std::int64_t step = 0; step < 5; ++step) {
      const std::int64_t t = 3000 * step;
      const std::int64_t call = 10 * step;
      const auto reduce = [&](std::string_view group, std::string_view ranks) {
        return TraceForTest::Collective{.name = "allreduce",
                                        .in = group < "2" ? 1000 : 2000,
                                        .out = group < "2" ? 1000 : 2000,
                                        .group = group,
                                        .ranks = ranks};
      };
      trace.Step(step, t * kUs, 3000 * kUs)
          .Launch(call + 1, (t + 10) * kUs, 5 * kUs)
          .Kernel(7, "gemm", (t + 20) * kUs, 2000 * kUs, call + 1)
          .Launch(call + 2, (t + 20) * kUs, 5 * kUs)
          .Comm(7, (t + 2020) * kUs, first * kUs,
                rank < 2 ? reduce("0", "[0, 1]") : reduce("1", "[2, 3]"))
          .Linked(call + 2)
          .Launch(call + 3, (t + 30) * kUs, 5 * kUs)
          .Comm(7, (t + 2020 + first) * kUs, (met + second - 2020 - first) * kUs,
                rank % 2 == 0 ? reduce("2", "[0, 2]") : reduce("3", "[1, 3]"))
          .Linked(call + 3)
          .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", (t + 40) * kUs,
                (met + second - 35) * kUs, call + 4);
    }
    job.Add(rank, trace.Build(1'000'000));
  }
  const Table findings = job.Run(FindingsAnalysis());
  std::string ranks;
  for (std::size_t row = 0; row < findings.row_count(); ++row) {
    if (std::get<std::string_view>(Cell(findings, row, "id")) == "slow-link")
      ranks += std::get<std::string_view>(Cell(findings, row, "ranks"));
  }
  return ranks;
}

// Two groups of two ranks, whose transfers take so long.
Table TwoGroups(std::int64_t of_0_1, std::int64_t of_2_3) {
  JobPlan plan;
  plan.elements = 1'000'000;
  plan.group = [](int rank) { return rank < 2 ? std::vector{0, 1} : std::vector{2, 3}; };
  plan.step = [=](int rank, int) { return RankStep{.transfer = rank < 2 ? of_0_1 : of_2_3}; };
  return FindingsOf(plan);
}

// What takes one 100 us takes the other 900. Nothing links their clocks, so that 800 us a step is
// what it can gain at most.
TEST(SlowLink, OneOfTwoGroups) {
  EXPECT_EQ(
      Rows(TwoGroups(100, 900), {"id", "ranks", "steps", "gain_method", "time_lost_ns", "title"}),
      "slow-link,2-3,1-3,bound,800000,"
      "transfers of ranks 2-3 are 9.00x slower than the same transfers among other ranks\n");
  EXPECT_EQ(Ids(TwoGroups(100, 100)), "");
}

TEST(SlowLink, BeginsAbove13TimesTheFastest) {
  EXPECT_EQ(Ids(TwoGroups(900, 1210)), "slow-link\n");
  EXPECT_EQ(Ids(TwoGroups(900, 1130)), "");
}

// One group of all: nothing to compare with.
TEST(SlowLink, OneGroupTellsNothing) {
  JobPlan plan;
  plan.step = [](int, int) { return RankStep{.transfer = 900}; };
  EXPECT_EQ(Ids(FindingsOf(plan)), "");
}

// Stages in a row, which send to the next: what rank 2 receives and what it sends is slow. Rank 3
// is slow with it, as it has no other neighbour.
TEST(SlowLink, IsAtTheRankThatSlowLinksShare) {
  const auto ranks_of = [](std::int64_t of_1_2, std::int64_t of_2_3) {
    JobForTest job;
    const std::int64_t takes[] = {100, of_1_2, of_2_3};
    for (int rank = 0; rank < 4; ++rank) {
      TraceForTest trace;
      for (std::int64_t step = 0; step < 5; ++step) {
        const std::int64_t t = 3000 * step;
        trace.Step(step, t * kUs, 3000 * kUs)
            .Launch(10 * step + 1, (t + 10) * kUs, 5 * kUs)
            .Kernel(7, "gemm", (t + 20) * kUs, 200 * kUs, 10 * step + 1);
        std::int64_t at = t + 220;
        for (int link = 0; link < 3; ++link) {
          if (rank == link || rank == link + 1) {
            const std::string members = fmt::format("[{}, {}]", link, link + 1);
            trace.Launch(10 * step + 2 + link, (t + 20 + link) * kUs, kUs)
                .Comm(7, at * kUs, takes[link] * kUs,
                      {.name = "allreduce",
                       .in = 1000,
                       .out = 1000,
                       .group = fmt::format("{}", link),
                       .ranks = members})
                .Linked(10 * step + 2 + link);
          }
          at += takes[link];
        }
        trace.Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", (t + 40) * kUs,
                   (at - t - 35) * kUs, 10 * step + 9);
      }
      job.Add(rank, trace.Build(1'000'000));
    }
    std::string ranks;
    const Table findings = job.Run(FindingsAnalysis());
    for (std::size_t row = 0; row < findings.row_count(); ++row) {
      if (std::get<std::string_view>(Cell(findings, row, "id")) == "slow-link")
        ranks += std::get<std::string_view>(Cell(findings, row, "ranks"));
    }
    return ranks;
  };
  EXPECT_EQ(ranks_of(800, 800), "2");
  EXPECT_EQ(ranks_of(100, 100), "");
}

TEST(SlowLink, NoneIsSlow) { EXPECT_EQ(RanksOfSlowLink(100, 40), ""); }

// Both groups of rank 1 are slow, of the others' one each.
TEST(SlowLink, IsWhereAllGroupsAreSlow) { EXPECT_EQ(RanksOfSlowLink(500, 200), "1"); }

// One group alone: both its ranks may be the reason, unless something clears one.
TEST(SlowLink, OfOneGroup) { EXPECT_EQ(RanksOfSlowLink(500, 40), "0-1"); }

// The other group's transfers take half as long again, but so little time that nobody would look at
// them: that does not clear rank 1, and ranks 0 and 3 have groups that are fast.
TEST(SlowLink, SmallTransfersThatAreSlowClearNobody) { EXPECT_EQ(RanksOfSlowLink(500, 60), "1"); }

}  // namespace
}  // namespace rankscope
