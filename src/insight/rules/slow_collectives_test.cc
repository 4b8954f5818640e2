// slow-collectives: far longer than their bytes explain.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Ten products of 100 us, and an all-reduce of so many bytes in the middle.
Body AllReducesSlowCollectives(std::int64_t bytes, std::int64_t us) {
  return [=](Program& of, int) {
    of.Products(5);
    of.Exchange({.name = "allreduce",
                 .in = bytes / 4,
                 .out = bytes / 4,
                 .group = "7",
                 .description = "norms"},
                us);
    of.Products(5);
  };
}

// Of hosts nothing is known: 0.5 ms and 10 Gbit/s are allowed for. 4 kB in 3 ms.
TEST(SlowCollectives, ASmallOneThatTakesLong) {
  const Told told = TellOf(AllReducesSlowCollectives(4000, 3000));
  EXPECT_EQ(told.first(), "slow-collectives") << told.all;
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_NE(told.title.find("all_reduce of 4.00 kB takes 3.00 ms"), std::string::npos)
      << told.title;
  // What a slow network needs: 500 us and 4 kB at 1.25 GB/s.
  EXPECT_NEAR(told.gain, 100 * (3000 - 503.2) / told.mean_step, 0.5);
}

TEST(SlowCollectives, BeginAtTwiceWhatASlowNetworkNeeds) {
  EXPECT_TRUE(TellOf(AllReducesSlowCollectives(4000, 1010)).Has("slow-collectives"));
  EXPECT_FALSE(TellOf(AllReducesSlowCollectives(4000, 1000)).Has("slow-collectives"));
  // 40 MB need 32 ms at 10 Gbit/s.
  EXPECT_FALSE(TellOf(AllReducesSlowCollectives(40'000'000, 60'000)).Has("slow-collectives"));
  EXPECT_TRUE(TellOf(AllReducesSlowCollectives(40'000'000, 66'000)).Has("slow-collectives"));
}

// Of two A100s of one host, whose links bear 300 GB/s: 40 MB are slow from 1.2 x (100 us + 40 MB at
// 45 GB/s, 888.9 us) = 1186.7 us on, and usually take 20 us and 222.2 at 180 GB/s.
TEST(SlowCollectives, OnLinksThatAreKnown) {
  const auto findings_of = [](std::int64_t us, double* mean_step) {
    JobForTest job;
    for (int rank = 0; rank < 2; ++rank) {
      Program program;
      for (int step = 0; step < 6; ++step)
        program.Step(step,
                     [&](Program& of) { AllReducesSlowCollectives(40'000'000, us)(of, step); });
      *mean_step = program.MeanStep();
      job.Add(rank, program.Build(-1));
      job.OnHost("node0");
    }
    return job.Run(FindingsAnalysis());
  };
  double mean_step = 0;
  const Table findings = findings_of(1300, &mean_step);
  ASSERT_EQ(std::get<std::string_view>(Cell(findings, 0, "id")), "slow-collectives");
  EXPECT_NEAR(std::get<double>(Cell(findings, 0, "gain_pct")),
              100 * (1300 - 20 - 222.2) / mean_step, 0.5);
  EXPECT_NE(std::get<std::string_view>(Cell(findings, 0, "title"))
                .find("links of such hosts usually take 242 us for that"),
            std::string_view::npos);
  EXPECT_EQ(Rows(findings_of(1150, &mean_step), {"id"}).find("slow-collectives"),
            std::string::npos);
}

// The first one sets up its communicator.
TEST(SlowCollectives, AFirstOneIsNone) {
  const Told told = TellOf([](Program& of, int step) {
    AllReducesSlowCollectives(4000, step == 0 ? 30'000 : 40)(of, step);
  });
  EXPECT_FALSE(told.Has("slow-collectives")) << told.all;
}

}  // namespace
}  // namespace rankscope
