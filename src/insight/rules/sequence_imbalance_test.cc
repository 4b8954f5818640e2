// sequence-imbalance: batches of uneven length give ranks unequal work.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "insight/job_plan_for_test.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

// Every other rank gets the longer sequences of a step, in turns.
Table Turns(std::string_view long_shapes, std::string_view short_shapes) {
  JobPlan plan;
  plan.step = [=](int rank, int step) {
    const bool is_long = (rank + step) % 2 == 1;
    return RankStep{.product = is_long ? 2400 : 2000,
                    .shapes = is_long ? long_shapes : short_shapes};
  };
  return FindingsOf(plan);
}

// With 2200 for each, 200 us less.
TEST(SequenceImbalance, InTurns) {
  const Table findings = Turns("[[96,64],[64,64]]", "[[80,64],[64,64]]");
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "steps"}),
            "sequence-imbalance,medium,0-3,0-3\n");
  EXPECT_TRUE(Rows(findings, {"places"}).starts_with(R"([{"op":"aten::mm")"));
  EXPECT_EQ(Rows(findings, {"title"}),
            "batches differ in size between ranks and steps: what depends on it takes from 2.00 ms "
            "on the rank with least of it to 2.40 ms on that with most, in the mean step\n");
  EXPECT_NEAR(Gain(findings), OfSteps(200, 2770), 1e-9);
}

// Rank 2 gets them in every step: with 2100 for each, 300 us less.
TEST(SequenceImbalance, NamesTheRankThatAlwaysHasMore) {
  JobPlan plan;
  plan.step = [](int rank, int) {
    return RankStep{.product = rank == 2 ? 2400 : 2000,
                    .shapes = rank == 2 ? "[[96,64],[64,64]]" : "[[80,64],[64,64]]"};
  };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "ranks", "title"}),
            "sequence-imbalance,2,batches of rank 2 are larger than their peers' in every step: "
            "what depends on it takes from 2.00 ms to 2.40 ms a step on single ranks\n");
  EXPECT_NEAR(Gain(findings), OfSteps(300, 2770), 1e-9);
}

// The same times: nothing says that the work differs.
TEST(SequenceImbalance, NeedsOtherShapes) {
  EXPECT_EQ(Ids(Turns("[[80,64],[64,64]]", "[[80,64],[64,64]]")).find("sequence-imbalance"),
            std::string::npos);
}

// Some kernels are counted to the op before theirs on some ranks, at a tick of the clock, so shapes
// differ at a place of the step; but all ranks run the same kernels in the same blocks, and only
// the clocks of their devices differ.
TEST(SequenceImbalance, IsNoneWhereAllRunTheSameKernelsInTheSameBlocks) {
  const auto program = [](int blocks_of_odd) {
    return [=](int rank) {
      return [=](Program& of, int step) {
        const bool is_odd = (rank + step) % 2 == 1;
        for (int i = 0; i < 10; ++i) {
          of.Op("aten::mm", "gemm", is_odd ? 130 : 100,
                is_odd ? "[[96,64],[64,64]]" : "[[80,64],[64,64]]");
          of.Blocks(is_odd ? blocks_of_odd : 64);
        }
        of.Waits(is_odd ? 0 : 300);
      };
    };
  };
  const auto told = [&](int blocks) {
    JobForTest job;
    for (int rank = 0; rank < 4; ++rank) {
      Program of;
      for (int step = 0; step < 6; ++step)
        of.Step(step, [&](Program& in) { program(blocks)(rank)(in, step); });
      job.Add(rank, of.Build(-1));
    }
    return Ids(job.Run(FindingsAnalysis()));
  };
  EXPECT_EQ(told(64).find("sequence-imbalance"), std::string::npos) << told(64);
  EXPECT_NE(told(84).find("sequence-imbalance"), std::string::npos) << told(84);
}

// Two ranks of 640 tokens together; without groups of experts sizes that differ by rank are those
// of sequences.
TEST(SequenceImbalance, OfTokens) {
  const auto program = [](std::int64_t even_step, std::int64_t odd_step) {
    return [=](Program& of, int step) {
      const std::int64_t tokens = step % 2 == 0 ? even_step : odd_step;
      of.Op("our::layer", "grouped_gemm", tokens, fmt::format("[[{},1024]]", tokens));
      of.Products(10);
      // The rank with fewer waits.
      of.Collective("allreduce", 40'000'000, 100 + std::max(tokens, 640 - tokens) - tokens);
    };
  };
  const Told uneven = TellOfRanks({program(240, 400), program(400, 240)}, 9);
  const Told even = TellOfRanks({program(320, 320), program(320, 320)}, 9);
  EXPECT_EQ(uneven.ids, "sequence-imbalance ");
  EXPECT_EQ(uneven.ranks, "0-1");
  EXPECT_NEAR(uneven.gain, 100 * (1 - even.mean_step / uneven.mean_step), 0.5);
  EXPECT_EQ(even.ids, "");
}

// A causal sequence divided over four ranks: inputs of one shape, of which the mask leaves the last
// rank most. Another kernel that takes longer at equal shapes is none.
TEST(SequenceImbalance, OfAttentionAtEqualShapes) {
  const auto job = [](std::string_view op, std::string_view kernel) {
    std::vector<Body> bodies;
    for (int rank = 0; rank < 4; ++rank) {
      bodies.push_back([=](Program& of, int) {
        const std::int64_t us = 200 * (2 * rank + 1);
        of.Products(10);
        of.Op(op, kernel, us, "[[2,1024,16,128],[2,1024,16,128],[2,1024,16,128]]");
        of.Collective("allreduce", 40'000'000, 1500 - us);
      });
    }
    return TellOfRanks(bodies, 9);
  };
  const Told told = job("aten::_flash_attention_forward", "pytorch_flash::flash_fwd_kernel");
  EXPECT_EQ(told.first(), "sequence-imbalance") << told.all;
  EXPECT_EQ(told.ranks, "2-3");
  EXPECT_NEAR(told.gain, 100 * 600.0 / told.mean_step, 1);  // 800 us for each
  EXPECT_FALSE(job("aten::gelu", "vectorized_elementwise_kernel").Has("sequence-imbalance"));
}

// Without devices: a product of rows for so long, then an all-reduce of gloo that ends when the
// last rank of four has come, 1100 us after the step's begin.
RankTrace RankOfHost(std::int64_t product_us, std::string_view shapes) {
  TraceForTest trace;
  const auto us = [](std::int64_t t) { return 1000 * t; };
  for (int step = 0; step < 6; ++step) {
    const std::int64_t at = 1200 * step;
    trace.Op(1, "aten::mm", us(at), us(product_us), shapes, R"(["float","float"])")
        .Op(2, "gloo:all_reduce", us(at + product_us), us(1100 - product_us), "[[1000]]",
            R"(["float"])")
        .Host(1, EventKind::kPythonFunction, "ddp.py(3): wait", us(at + product_us),
              us(1110 - product_us))
        .Step(step, us(at), us(1200));
  }
  return trace.Build(1'000'000);
}

std::string OnHosts(bool shapes_differ) {
  JobForTest job;
  for (int rank = 0; rank < 4; ++rank) {
    const int rows = 200 + 200 * rank;
    job.Add(rank,
            RankOfHost(rows + 200, fmt::format("[[{},64],[64,64]]", shapes_differ ? rows : 200)));
  }
  return Rows(job.Run(FindingsAnalysis()), {"id", "ranks", "gain_pct"});
}

// 400, 600, 800 and 1000 us: with 700 for each, 300 of 1200 less.
TEST(SequenceImbalance, OfOpsWhereThereIsNoDevice) {
  EXPECT_EQ(OnHosts(true), "sequence-imbalance,2-3,25\n");
  EXPECT_EQ(OnHosts(false).find("sequence-imbalance"), std::string::npos);
  EXPECT_EQ(OnHosts(false).find("uneven-work"), std::string::npos);
}

}  // namespace
}  // namespace rankscope
