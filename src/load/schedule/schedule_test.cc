#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/units_for_test.h"
#include "load/schedule/arrivals.h"
#include "load/schedule/lengths.h"
#include "load/schedule/replay_file.h"

namespace rankscope::load {
namespace {

std::vector<std::int64_t> Moments(const LevelSpec& level, Arrivals arrivals, double variation,
                                  std::uint64_t seed = 1) {
  ArrivalProcess process(level, arrivals, variation, seed);
  std::vector<std::int64_t> moments;
  for (std::int64_t at = process.Next(); at < level.sending; at = process.Next())
    moments.push_back(at);
  return moments;
}

struct Gaps {
  double mean = 0, variation = 0;
};
Gaps GapsOf(const std::vector<std::int64_t>& moments) {
  double sum = 0, squares = 0;
  const auto count = static_cast<double>(moments.size() - 1);
  for (std::size_t i = 1; i < moments.size(); ++i) {
    const auto gap = static_cast<double>(moments[i] - moments[i - 1]);
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / count;
  return {.mean = mean / 1e9, .variation = std::sqrt(squares / count - mean * mean) / mean};
}

TEST(Arrivals, ConstantOnesAreEvenlyApart) {
  EXPECT_EQ(Moments({.per_s = 4, .sending = kS}, Arrivals::kConstant, 0),
            (std::vector<std::int64_t>{0, kS / 4, kS / 2, kS * 3 / 4}));
}

TEST(Arrivals, PoissonGapsVaryAsMuchAsTheirMean) {
  const Gaps gaps = GapsOf(Moments({.per_s = 50, .sending = 1000 * kS}, Arrivals::kPoisson, 0));
  EXPECT_NEAR(gaps.mean, 0.02, 0.0005);
  EXPECT_NEAR(gaps.variation, 1, 0.03);
}

TEST(Arrivals, GammaGapsHaveTheirVariation) {
  for (const double variation : {0.5, 3.0}) {
    const Gaps gaps =
        GapsOf(Moments({.per_s = 50, .sending = 2000 * kS}, Arrivals::kGamma, variation));
    EXPECT_NEAR(gaps.mean, 0.02, 0.001);
    EXPECT_NEAR(gaps.variation / variation, 1, 0.05);
  }
}

TEST(Arrivals, TheSameSeedGivesTheSameMoments) {
  const LevelSpec level{.per_s = 10, .sending = 10 * kS};
  EXPECT_EQ(Moments(level, Arrivals::kPoisson, 0, 5), Moments(level, Arrivals::kPoisson, 0, 5));
  EXPECT_NE(Moments(level, Arrivals::kPoisson, 0, 5), Moments(level, Arrivals::kPoisson, 0, 6));
}

TEST(Arrivals, ARampHasItsRateAtEachTime) {
  // From 10 to 30 a second in 10 s: 200 in all; half of the time brings 10 * 5 + 25 = 75.
  const std::vector<std::int64_t> moments =
      Moments({.per_s = 10, .end_per_s = 30, .sending = 10 * kS}, Arrivals::kConstant, 0);
  EXPECT_EQ(moments.size(), 200U);
  EXPECT_NEAR(static_cast<double>(moments[75]) / 1e9, 5, 1e-6);
  // Falling to nothing: 49.5, so that 0 to 49 come, and nothing behind.
  EXPECT_EQ(
      Moments({.per_s = 9.9, .end_per_s = 1e-9, .sending = 10 * kS}, Arrivals::kConstant, 0).size(),
      50U);
}

TEST(Lengths, HaveTheirMeanAndVariation) {
  LengthSource source({.mean = 500, .variation = 0.8}, 3);
  double sum = 0, squares = 0;
  constexpr int kCount = 200'000;
  for (int i = 0; i < kCount; ++i) {
    const double length = source.Next();
    sum += length;
    squares += length * length;
  }
  const double mean = sum / kCount;
  EXPECT_NEAR(mean, 500, 5);
  EXPECT_NEAR(std::sqrt(squares / kCount - mean * mean) / mean, 0.8, 0.02);
  LengthSource constant({.mean = 7, .variation = 0}, 1);
  EXPECT_EQ(constant.Next(), 7);
}

TEST(Replay, ReadsAzure) {
  const auto trace = ParseTrace(
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44\r\n"
      "2023-11-16 18:15:47.6805900,396,109",
      "a.csv");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_EQ(trace->format, "Azure");
  ASSERT_EQ(trace->requests.size(), 2U);
  EXPECT_EQ(trace->requests[0].at, 0);
  EXPECT_EQ(trace->requests[1].at, kS);
  EXPECT_EQ(trace->requests[1].prompt_tokens, 396);
  EXPECT_EQ(trace->requests[1].output_tokens, 109);
}

TEST(Replay, ReadsBurstGptAndLeavesOutFailures) {
  const auto trace = ParseTrace(
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log "
      "Type\n5,,1,ChatGPT,472,18,490,Conversation log\n45.5,,0,ChatGPT,1087,0,1087,API log\n"
      "118,,2,GPT-4,417,276,693,Conversation log\n",
      "b.csv");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_EQ(trace->format, "BurstGPT");
  EXPECT_EQ(trace->left_out, 1);
  ASSERT_EQ(trace->requests.size(), 2U);
  EXPECT_EQ(trace->requests[1].at, 113 * kS);
}

TEST(Replay, ReadsMooncakeWithItsBlocks) {
  const auto trace = ParseTrace(
      "{\"timestamp\": 3000, \"input_length\": 900, \"output_length\": 52, \"hash_ids\": [46, "
      "47]}\n{\"timestamp\": 0, \"input_length\": 10, \"output_length\": 1, \"hash_ids\": []}\n{\n",
      "m.jsonl");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_EQ(trace->format, "Mooncake");
  EXPECT_EQ(trace->left_out, 1);
  EXPECT_EQ(trace->requests[1].at, 3 * kS);
  EXPECT_EQ(trace->requests[1].blocks, (std::vector<std::uint64_t>{46, 47}));
}

TEST(Replay, SaysWhatIsNoTrace) {
  EXPECT_TRUE(ParseTrace("arrived_at,num_prefill_tokens,num_decode_tokens\n0.5,10,3\n", "v").ok());
  for (const char* text : {"", "a,b\n1,2\n", "TIMESTAMP,ContextTokens,GeneratedTokens\n", "{}",
                           "arrived_at,num_prefill_tokens,num_decode_tokens\nnan,1,1\n1,1e99,1\n"})
    EXPECT_EQ(ParseTrace(text, "x").status().code(), StatusCode::kBadData) << text;
}

}  // namespace
}  // namespace rankscope::load
