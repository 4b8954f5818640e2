// expert-imbalance: routers send some experts far more tokens.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// A layer whose experts get so many tokens on a rank, of 640 on both: an exchange takes 1 us for 8
// tokens of the fuller rank, and the other one waits for that in the second.
void Experts(Program& of, std::int64_t tokens) {
  const std::int64_t most = std::max(tokens, 640 - tokens);
  const auto exchange = [&](std::int64_t us) {
    of.Exchange({.name = "all_to_allv",
                 .in = 1024 * tokens,
                 .out = 1024 * tokens,
                 .group = "1",
                 .description = "EXPERT_MODEL_PARALLEL_GROUP"},
                us);
  };
  exchange(most / 8);
  of.Op("our::experts", "grouped_gemm", tokens, fmt::format("[[{},1024],[1024,1024]]", tokens));
  exchange(most / 8 + most - tokens);
}

Body FourLayers(std::int64_t even_step, std::int64_t odd_step) {
  return [=](Program& of, int step) {
    for (int layer = 0; layer < 4; ++layer) Experts(of, step % 2 == 0 ? even_step : odd_step);
    of.Products(10);
  };
}

Told Even() { return TellOfRanks({FourLayers(320, 320), FourLayers(320, 320)}, 8); }

// The fuller rank is another one in each step: both take 4 * (240 + 400) / 2 us a step in the mean.
TEST(ExpertImbalance, TheFullerRankChanges) {
  const Told uneven = TellOfRanks({FourLayers(240, 400), FourLayers(400, 240)}, 8);
  EXPECT_EQ(uneven.ids, "expert-imbalance ");
  EXPECT_EQ(uneven.ranks, "0-1");
  EXPECT_EQ(uneven.title,
            "experts get uneven loads: kernels that depend on them take from 960 us on the rank "
            "with least of it to 1.60 ms on that with most, in the mean step");
  EXPECT_NEAR(uneven.gain, 100 * (1 - Even().mean_step / uneven.mean_step), 0.5);
}

// 400 tokens are 1.25 times the mean.
TEST(ExpertImbalance, OneRankIsAlwaysFuller) {
  const Told uneven = TellOfRanks({FourLayers(240, 240), FourLayers(400, 400)}, 8);
  EXPECT_EQ(uneven.ids, "expert-imbalance ");
  EXPECT_EQ(uneven.ranks, "1");
  EXPECT_TRUE(uneven.places.starts_with(R"([{"op":"our::experts")")) << uneven.places;
  EXPECT_NEAR(uneven.gain, 100 * (1 - Even().mean_step / uneven.mean_step), 0.5);
}

TEST(ExpertImbalance, EvenLoads) { EXPECT_EQ(Even().ids, ""); }

}  // namespace
}  // namespace rankscope
