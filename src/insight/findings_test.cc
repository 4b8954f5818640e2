// What the rules find together: each cause once, at its root, with what it costs.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "insight/job_plan_for_test.h"
#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// 2370 us a step: 220 to the product, 2000 of it, 100 to reduce, 50 behind.
TEST(Findings, AHealthyJobHasNone) {
  EXPECT_EQ(Rows(FindingsOf({}), {"id", "gain_pct", "title"}), "");
}

// Rank 2 computes 500 us longer, rank 3 gets its batch 500 us later: either alone changes nothing,
// since the ranks wait for the other one then; both are told, with what each gains in the end.
TEST(Findings, CausesThatHideEachOther) {
  JobPlan plan;
  plan.step = [](int rank, int) {
    return RankStep{.load = rank == 3 ? 500 : 0, .product = rank == 2 ? 2500 : 2000};
  };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "ranks"}), "data-straggler,3\nslow-gpu,2\n");
  // To half a point: one of the steps gains some 20 us less.
  EXPECT_NEAR(Gain(findings, 0), OfSteps(500, 2820), 0.5);
  EXPECT_NEAR(Gain(findings, 1), OfSteps(500, 2820), 0.5);
  EXPECT_NEAR(std::get<double>(Cell(findings, 1, "combined_gain_pct")), OfSteps(500, 2820), 0.5);
}

// The same of what has no name: copies of rank 1 take 600 us longer, the host of rank 2 works 600
// us longer.
TEST(Findings, GeneralCausesThatHideEachOther) {
  const auto body = [](int rank) {
    return [rank](Program& of, int) {
      of.Copy("Memcpy HtoD (Pinned -> Device)", rank == 1 ? 700 : 100);
      of.Synchronise();
      if (rank == 2) of.Frame("train.py(7): log", [&] { of.Idles(600); });
      of.Products(10);
      if (rank == 0 || rank == 3) of.Waits(600);
    };
  };
  const Told told = TellOfRanks({body(0), body(1), body(2), body(3)});
  EXPECT_TRUE(told.Has("slow-copies")) << told.all;
  EXPECT_TRUE(told.Has("rank-host-work")) << told.all;
}

// Of which the copy is the reason for which the host waits: told once.
TEST(Findings, WhatOneCauseExplainsIsNotToldAgain) {
  JobPlan plan;
  plan.step = [](int, int) { return RankStep{.pageable = 700}; };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks"}), "pageable-copy,high,0-3\n");
}

// Two causes on one rank, one behind the other.
TEST(Findings, TwoCausesAddUp) {
  JobPlan plan;
  plan.step = [](int rank, int) {
    return RankStep{.load = rank == 2 ? 400 : 0, .product = rank == 2 ? 2500 : 2000};
  };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "ranks"}), "slow-gpu,2\ndata-straggler,2\n");
  EXPECT_NEAR(Gain(findings, 0), OfSteps(500, 3270), 1e-9);
  EXPECT_NEAR(Gain(findings, 1), OfSteps(400, 3270), 1e-9);
  EXPECT_NEAR(std::get<double>(Cell(findings, 1, "combined_gain_pct")), OfSteps(900, 3270), 1e-9);
}

// The device takes 6 % longer for its products, which are a 50th of the step.
TEST(Findings, BelowOnePercentIsNotTold) {
  JobPlan plan;
  plan.elements = 10'000'000;
  plan.step = [](int rank, int) {
    return RankStep{.product = rank == 2 ? 212 : 200, .transfer = 9000};
  };
  EXPECT_EQ(Ids(FindingsOf(plan)), "");
}

// Without a collective the clocks are not known, and nothing is replayed: no more than the 500 us
// that it takes on its rank, of 2770.
TEST(Findings, ABoundWhereTheReplayIsRefused) {
  JobPlan plan;
  plan.communicates = false;
  plan.step = [](int rank, int) { return RankStep{.product = rank == 2 ? 2500 : 2000}; };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "ranks", "gain_method", "time_lost_ns"}),
            "slow-gpu,2,bound,500000\n");
  EXPECT_NEAR(Gain(findings), 100 * 500.0 / 2770, 0.1);
}

// A product of 2500 us on one rank, and batches of 600 us on all four, once in each of the steps.
TEST(Findings, PlacesAreOfAStepAndARankInTheMean) {
  JobPlan plan;
  plan.step = [](int rank, int) { return RankStep{.product = rank == 2 ? 2500 : 2000}; };
  EXPECT_EQ(Rows(FindingsOf(plan), {"places"}), R"([{"op":"aten::mm","ns":2500000}])"
                                                "\n");
  plan.step = [](int, int) { return RankStep{.load = 600}; };
  const std::string all_ranks = Rows(FindingsOf(plan), {"places"});
  EXPECT_NE(all_ranks.find(R"("ns":600000})"), std::string::npos) << all_ranks;
}

// Of rank 3 only the host was recorded: nothing is said about it, and all about the others.
TEST(Findings, ARankWithoutItsDeviceCostsThatRank) {
  JobPlan plan;
  plan.step = [](int rank, int) { return RankStep{.product = rank == 2 ? 2500 : 2000}; };
  std::vector<RankTrace> traces = TracesOf(plan);
  TraceForTest of_host;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t at = 2820 * step * kUsForTest;
    of_host.Step(step, at, 2820 * kUsForTest).Launch(step + 1, at + 200 * kUsForTest, kUsForTest);
  }
  JobForTest job;
  for (int rank = 0; rank < 3; ++rank)
    job.Add(rank, std::move(traces[static_cast<std::size_t>(rank)]));
  job.Add(3, of_host.Build());
  const Table findings = job.Run(FindingsAnalysis());
  EXPECT_EQ(Rows(findings, {"id", "ranks", "gain_method"}), "slow-gpu,2,replay\n");
  EXPECT_NEAR(Gain(findings), OfSteps(500, 2870), 0.5);
}

// Six steps of ten products and an exchange behind them, in a file that ends too early, among its
// device rows: which of a step are missing differs, and no two steps have as many.
TEST(Findings, NothingRestsOnDevicesOfAFileThatEndsTooEarly) {
  const auto cut = [](const std::vector<int>& missing) {
    TraceForTest literal;
    for (std::size_t step = 0; step < missing.size(); ++step) {
      const auto begin = static_cast<std::int64_t>(1000 * step);
      literal.Step(static_cast<std::int64_t>(step), begin * kUsForTest, 1000 * kUsForTest);
      for (int i = 0; i < 9; ++i) {
        const auto call = static_cast<std::int64_t>(100 * step) + i + 1;
        const std::int64_t at = (begin + 100 * i) * kUsForTest;
        literal.Host(1, EventKind::kCpuOp, "aten::mm", at, 20 * kUsForTest);
        if (i < missing[step]) continue;
        literal.Launch(call, at + 5 * kUsForTest, 5 * kUsForTest);
        if (i < 5)
          literal.Kernel(7, "gemm", at + 15 * kUsForTest, 100 * kUsForTest, call);
        else
          literal
              .Comm(7, at + 15 * kUsForTest, 100 * kUsForTest,
                    {.name = "allreduce",
                     .in = 10'000'000,
                     .out = 10'000'000,
                     .group = "1",
                     .description = "DATA_PARALLEL_GROUP"})
              .Linked(call);
      }
    }
    RankTrace trace = literal.Build();
    if (missing.front() > 0) trace.meta.quality.push_back({.code = QualityCode::kTruncated});
    JobForTest job;
    job.Add(0, std::move(trace));
    return Ids(job.Run(FindingsAnalysis()));
  };
  EXPECT_NE(cut({0, 0, 0, 0, 0, 0}), "");
  EXPECT_EQ(cut({1, 3, 4, 5, 3, 2}), "");
}

// One step of eight runs a line of its own for 5 ms: none of two others has a cause.
TEST(Findings, AreOfTheChosenSteps) {
  JobPlan plan;
  plan.steps = 8;
  plan.step = [](int, int step) {
    return RankStep{.pause = "train.py(9): evaluate", .pause_us = step == 5 ? 5000 : 0};
  };
  const JobForTest job = JobOf(plan);
  EXPECT_NE(Ids(job.Run(FindingsAnalysis())), "");
  EXPECT_NE(Ids(job.Run(FindingsAnalysis(), {}, std::set<std::int64_t>{4, 5})), "");
  EXPECT_EQ(Ids(job.Run(FindingsAnalysis(), {}, std::set<std::int64_t>{2, 3})), "");
}

// Names from traces stand in JSON cells.
TEST(Findings, HostileNames) {
  JobPlan plan;
  plan.op_name = "a\"b\\c\n\x01</script>";
  plan.step = [](int rank, int) { return RankStep{.product = rank == 2 ? 2500 : 2000}; };
  const Table findings = FindingsOf(plan);
  ASSERT_EQ(Ids(findings), "slow-gpu\n");
  const std::string places = Rows(findings, {"places"});
  EXPECT_EQ(places.substr(0, places.find(",\"ns\"")), R"([{"op":"a\"b\\c\n\u0001</script>")");
  const std::string evidence = Rows(findings, {"evidence"});
  EXPECT_EQ(evidence.find('\n'), evidence.size() - 1);
}

// Launching costs more, and stands behind what names a line to change, where both are severe and
// that is half as much.
TEST(Findings, LaunchingIsToldBehindCausesOfTheProgram) {
  const auto with_waits = [](int launches, int waits) {
    return TellOf([=](Program& of, int) {
      for (int i = 0; i < launches; ++i) of.Op("aten::mm", "gemm", 2);
      for (int i = 0; i < waits; ++i) {
        of.Op("aten::bmm", "gemm", 2);
        of.Synchronise("cudaStreamSynchronize");
      }
    });
  };
  const Told told = with_waits(30, 40);
  ASSERT_TRUE(told.Has("launch-bound") && told.Has("host-sync")) << told.all;
  EXPECT_GT(told.gains.at("launch-bound"), told.gains.at("host-sync"));
  EXPECT_LT(told.all.find("host-sync"), told.all.find("launch-bound")) << told.all;
  const Told little = with_waits(60, 12);
  EXPECT_LT(little.gains.at("host-sync"), little.gains.at("launch-bound") / 2);
  EXPECT_EQ(little.first(), "launch-bound") << little.all;
}

}  // namespace
}  // namespace rankscope
