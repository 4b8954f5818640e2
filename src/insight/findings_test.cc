// Findings of jobs with one planted cause each, small enough to say by hand what it costs; and of
// the same job without it.
#include "insight/findings.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr std::int64_t kUs = 1000;
using Collective = TraceForTest::Collective;

// A step of a rank: loading a batch, an op on the host, a product, an all-reduce, and waiting for
// it; all in us, from its begin:
//
//   host    load | op | launch | launch | synchronise .............. | 50
//   device              20 | product | all-reduce, the last to come takes `transfer`
struct RankStep {
  std::int64_t load = 0;
  std::int64_t op = 200;
  std::int64_t product = 2000;
  std::int64_t transfer = 100;
  std::string_view pause;  // a range on the host behind loading
  std::int64_t pause_us = 0;
  std::int64_t pageable = 0;                      // a blocking copy behind the pause
  std::string_view shapes = "[[64,64],[64,64]]";  // of the product
  std::int64_t begin_of_op() const { return load + pause_us + pageable + (pageable > 0 ? 10 : 0); }
  std::int64_t begin_of_product() const { return begin_of_op() + op + 20; }
  std::int64_t arrival() const { return begin_of_product() + product; }
};

struct JobPlan {
  int ranks = 4;
  int steps = 4;
  bool communicates = true;
  std::string_view op_name = "aten::mm";
  // Of ranks that reduce together; "[0, 1, 2, 3]" for all.
  std::function<std::vector<int>(int rank)> group = [](int) { return std::vector{0, 1, 2, 3}; };
  std::function<RankStep(int rank, int step)> step = [](int, int) { return RankStep{}; };
};

std::vector<RankTrace> TracesOf(const JobPlan& plan) {
  std::vector<TraceForTest> traces(static_cast<std::size_t>(plan.ranks));
  std::vector<std::int64_t> begin(traces.size(), 0);
  for (int step = 0; step < plan.steps; ++step) {
    std::vector<std::int64_t> next(traces.size(), 0);
    for (int rank = 0; rank < plan.ranks; ++rank) {
      TraceForTest& trace = traces[static_cast<std::size_t>(rank)];
      const RankStep mine = plan.step(rank, step);
      // The transfer begins when the last member of the group has come.
      std::int64_t last = 0;
      const std::vector<int> group = plan.group(rank);
      std::string members = "[";
      for (const int member : group) {
        last = std::max(
            last, begin[static_cast<std::size_t>(member)] + plan.step(member, step).arrival());
        members += fmt::format("{}{}", members.size() > 1 ? ", " : "", member);
      }
      members += "]";
      const std::int64_t t = begin[static_cast<std::size_t>(rank)] * kUs;
      const std::int64_t arrival = begin[static_cast<std::size_t>(rank)] + mine.arrival();
      const std::int64_t end = plan.communicates ? last + mine.transfer : arrival;
      const std::int64_t call = 10 * step;
      trace.Step(step, t, (end + 50) * kUs - t);
      if (mine.load > 0)
        trace.Host(1, EventKind::kUserAnnotation,
                   "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", t,
                   mine.load * kUs);
      if (mine.pause_us > 0)
        trace.Host(1, EventKind::kPythonFunction, mine.pause, t + mine.load * kUs,
                   mine.pause_us * kUs);
      if (mine.pageable > 0) {
        const std::int64_t copy = t + (mine.load + mine.pause_us) * kUs;
        trace.Host(1, EventKind::kRuntime, "cudaMemcpyAsync", copy, (mine.pageable + 9) * kUs,
                   call + 5);
        trace.Copy(7, 1000, copy + 5 * kUs, mine.pageable * kUs, call + 5,
                   "Memcpy HtoD (Pageable -> Device)");
      }
      const std::int64_t op = t + mine.begin_of_op() * kUs;
      const std::int64_t product = t + mine.begin_of_product() * kUs;
      trace.Op(1, plan.op_name, op, (mine.op + 10) * kUs, mine.shapes)
          .Launch(call + 1, product - 20 * kUs, 5 * kUs)
          .Kernel(7, "gemm", product, mine.product * kUs, call + 1);
      if (plan.communicates) {
        trace.Launch(call + 2, product - 5 * kUs, 5 * kUs)
            .Comm(7, product + mine.product * kUs, end * kUs - product - mine.product * kUs,
                  {.name = "allreduce",
                   .in = 1000,
                   .out = 1000,
                   .group = fmt::format("{}", group.front()),
                   .ranks = members,
                   .size = static_cast<std::int32_t>(group.size())})
            .Linked(call + 2);
      }
      trace.Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", product + 5 * kUs,
                 (end + 5) * kUs - product - 5 * kUs, call + 3);
      next[static_cast<std::size_t>(rank)] = end + 50;
    }
    begin = next;
  }
  std::vector<RankTrace> built;
  for (TraceForTest& trace : traces) built.push_back(trace.Build(1'000'000));
  return built;
}

Table FindingsOf(const JobPlan& plan) {
  JobForTest job;
  std::vector<RankTrace> traces = TracesOf(plan);
  for (std::size_t rank = 0; rank < traces.size(); ++rank)
    job.Add(static_cast<std::int64_t>(rank), std::move(traces[rank]));
  return job.Run(FindingsAnalysis());
}
std::string Ids(const Table& findings) { return Rows(findings, {"id"}); }
double Gain(const Table& findings, std::size_t row = 0) {
  return std::get<double>(Cell(findings, row, "gain_pct"));
}

// In percent: what is saved of four steps of so many us, of which the last one ends with its
// all-reduce, 50 before the host's.
double OfSteps(double us, double step) { return 100 * us / (step - 50.0 / 4); }

// 2370 us a step: 220 to the product, 2000 of it, 100 to reduce, 50 behind.
TEST(Findings, AHealthyJobHasNone) {
  EXPECT_EQ(Rows(FindingsOf({}), {"id", "gain_pct", "title"}), "");
}

TEST(Findings, SlowGpu) {
  JobPlan plan;
  plan.step = [](int rank, int) { return RankStep{.product = rank == 2 ? 2500 : 2000}; };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "who", "gain_ns", "gain_method",
                            "time_lost_ns", "title"}),
            "slow-gpu,high,2,rank 2,500000,replay,500000,"
            "the device of rank 2 runs the same kernels x1.25 as long as its peers'\n");
  EXPECT_NEAR(Gain(findings), OfSteps(500, 2870), 1e-9);
  EXPECT_EQ(std::get<double>(Cell(findings, 0, "combined_gain_pct")), Gain(findings));
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

TEST(Findings, SlowHost) {
  JobPlan plan;
  plan.step = [](int rank, int) { return RankStep{.op = rank == 1 ? 800 : 200}; };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks"}), "slow-host,high,1\n");
  EXPECT_NEAR(Gain(findings), OfSteps(600, 2970), 1e-9);
}

TEST(Findings, DataStraggler) {
  JobPlan plan;
  plan.step = [](int rank, int) { return RankStep{.load = rank == 3 ? 520 : 20}; };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "time_lost_ns", "title"}),
            "data-straggler,high,3,520000,"
            "rank 3 waits 520 us a step for batches, its peers 20.0 us\n");
  EXPECT_NEAR(Gain(findings), OfSteps(500, 2890), 1e-9);
}

TEST(Findings, DataStarvation) {
  JobPlan plan;
  plan.step = [](int, int) { return RankStep{.load = 500}; };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "who", "title"}),
            "data-starvation,high,0-3,all ranks,"
            "the hosts wait 500 us a step for batches, 17.5 % of it\n");
  EXPECT_NEAR(Gain(findings), OfSteps(500, 2870), 1e-9);
}

// 1500 us in one of three steps that count, on one rank. That nothing names what runs costs 45:
// such a stretch is there in every step.
TEST(Findings, StallsOfTheHost) {
  const std::pair<std::string_view, std::string_view> kStalls[] = {
      {"<built-in function collect>", "gc-pause"},
      {"torch/serialization.py(850): save", "checkpoint-stall"},
      {"torch/_dynamo/convert_frame.py(1013): compile_inner", "recompilation"},
      {"train.py(7): think", "gc-pause"}};
  for (const auto& [range, id] : kStalls) {
    JobPlan plan;
    plan.step = [range = range](int rank, int step) {
      return RankStep{.load = 20, .pause = range, .pause_us = rank == 1 && step == 2 ? 1500 : 0};
    };
    const Table findings = FindingsOf(plan);
    EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "steps"}),
              fmt::format("{},high,1,2\n", id))
        << range;
    EXPECT_EQ(IntCell(findings, 0, "gain_ns"),
              (range == "train.py(7): think" ? 1455 : 1500) * kUs / 3)
        << range;
  }
}

// The pause is the first of its step, right behind what the host does last in the step before.
TEST(Findings, AStallAtTheBeginOfAStepIsOfThatStep) {
  JobPlan plan;
  plan.step = [](int rank, int step) {
    return RankStep{.pause = "train.py(7): think", .pause_us = rank == 1 && step == 2 ? 1500 : 0};
  };
  EXPECT_EQ(Rows(FindingsOf(plan), {"id", "ranks", "steps"}), "gc-pause,1,2\n");
}

// Two groups of two ranks: what takes one 100 us takes the other 900. Nothing links their clocks,
// so that 800 us a step is what it can gain at most.
TEST(Findings, SlowLink) {
  JobPlan plan;
  plan.group = [](int rank) { return rank < 2 ? std::vector{0, 1} : std::vector{2, 3}; };
  EXPECT_EQ(Ids(FindingsOf(plan)), "");
  plan.step = [](int rank, int) { return RankStep{.transfer = rank < 2 ? 100 : 900}; };
  EXPECT_EQ(Rows(FindingsOf(plan), {"id", "ranks", "gain_method", "time_lost_ns", "title"}),
            "slow-link,2-3,bound,800000,"
            "transfers of ranks 2-3 take x9.00 as long as the same transfers among other ranks\n");
}

// One transfer of rank 0 to 3 in a step of those that count takes 3 ms more.
TEST(Findings, NetworkJitter) {
  JobPlan plan;
  plan.steps = 8;
  plan.step = [](int, int step) {
    return RankStep{.transfer = step == 3 || step == 5 ? 3100 : 100};
  };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "steps"}), "network-jitter,high,0-3,3,5\n");
}

// Of which the copy is the reason for which the host waits: told once.
TEST(Findings, WhatOneCauseExplainsIsNotToldAgain) {
  JobPlan plan;
  plan.step = [](int, int) { return RankStep{.pageable = 700}; };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks"}), "pageable-copy,high,0-3\n");
}

// Every other rank gets the longer sequences of a step, in turns: with 2200 for each, 200 us less.
TEST(Findings, SequenceImbalance) {
  JobPlan plan;
  plan.step = [](int rank, int step) {
    const bool is_long = (rank + step) % 2 == 1;
    return RankStep{.product = is_long ? 2400 : 2000,
                    .shapes = is_long ? "[[96,64],[64,64]]" : "[[80,64],[64,64]]"};
  };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks"}), "sequence-imbalance,medium,0-3\n");
  EXPECT_NEAR(Gain(findings), OfSteps(200, 2770), 1e-9);
}

// Embeddings of rank 1 take 900 us, those of the others 300.
TEST(Findings, ShardingImbalance) {
  JobPlan plan;
  plan.op_name = "aten::embedding_bag";
  plan.step = [](int rank, int) {
    return RankStep{.product = rank == 1 ? 900 : 300,
                    .shapes = rank == 1 ? "[[3000,64],[64]]" : "[[1000,64],[64]]"};
  };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks"}), "sharding-imbalance,high,1\n");
  // At the median of its peers, 300 in place of 900; the first step, which begins otherwise, does
  // not count.
  EXPECT_NEAR(Gain(findings), 100 * 600.0 / 1270, 1e-9);
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

}  // namespace
}  // namespace rankscope
