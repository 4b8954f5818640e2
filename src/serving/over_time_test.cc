// Bins of time and sizes of batches, on requests and steps whose numbers are worked out by hand.
#include "serving/over_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units_for_test.h"
#include "serving/requests/batch_sizes.h"

namespace rankscope::serving {
namespace {

Request OfClient(std::int64_t arrival, std::int64_t ttft, std::int64_t e2e, std::int32_t level) {
  return {.side = Side::kClient,
          .arrival = 1'000 * kS + arrival,
          .e2e = e2e,
          .ttft = ttft,
          .output_tokens = 11,
          .level = level};
}

std::vector<TimeBin> BinsOf(std::vector<Request> requests) {
  ServingData data;
  data.sources.push_back({.path = "load.jsonl", .format = "rankscope load"});
  data.requests = std::move(requests);
  return OverTime(Analyse(std::move(data)));
}

TEST(OverTime, WidthsAreRoundAndLeaveAHundredBins) {
  EXPECT_EQ(WidthOfBins(1, 100), 1);
  EXPECT_EQ(WidthOfBins(99, 100), 1);
  EXPECT_EQ(WidthOfBins(100, 100), 2);
  EXPECT_EQ(WidthOfBins(60 * kS, 100), kS);  // of 500 ms there would be 121
  EXPECT_EQ(WidthOfBins(250 * kS, 100), 5 * kS);
  EXPECT_EQ(WidthOfBins(10 * kS, 10), 2 * kS);
}

// Of three requests in 10 s: ten bins would be of 1 s and one more, so that they are of 2 s.
TEST(OverTime, QuantilesAreOfTheRequestsThatCameInABin) {
  const auto bins =
      BinsOf({OfClient(0, 100 * kMs, 200 * kMs, 0), OfClient(150 * kMs, 300 * kMs, 500 * kMs, 0),
              OfClient(10 * kS, 50 * kMs, 70 * kMs, 1)});
  ASSERT_EQ(bins.size(), 6u);
  EXPECT_EQ(bins[0].begin, 1'000 * kS);
  EXPECT_EQ(bins[0].end, 1'002 * kS);
  EXPECT_EQ(bins[0].requests, 2);
  EXPECT_EQ(bins[0].level, 0);
  EXPECT_DOUBLE_EQ(bins[0].ttft->p50, 200e6);
  EXPECT_DOUBLE_EQ(bins[0].e2e->p90, 470e6);  // nine tenths of the way from 200 to 500
  // 100 and 200 ms of decode over ten tokens.
  EXPECT_DOUBLE_EQ(bins[0].tpot->p50, 15e6);
  EXPECT_EQ(bins[0].slowest, 1u);
  EXPECT_EQ(bins[5].level, 1);
  // Nothing came: nothing is known.
  EXPECT_EQ(bins[2].requests, 0);
  EXPECT_FALSE(bins[2].e2e);
  EXPECT_FALSE(bins[2].slowest);
}

TEST(OverTime, FailedRequestsAreCountedAndInNoQuantile) {
  Request failed = OfClient(10 * kMs, 5 * kMs, 9 * kS, 2);
  failed.outcome = Outcome::kFailed;
  const auto bins =
      BinsOf({OfClient(0, kMs, 2 * kMs, 1), failed, OfClient(10 * kS, kMs, 2 * kMs, 1)});
  EXPECT_EQ(bins[0].requests, 2);
  EXPECT_EQ(bins[0].failed, 1);
  EXPECT_DOUBLE_EQ(bins[0].e2e->p99, 2e6);
  EXPECT_EQ(bins[0].level, -1);  // of two levels
}

TEST(OverTime, OneMomentHasNoTime) {
  EXPECT_TRUE(BinsOf({}).empty());
  EXPECT_TRUE(BinsOf({OfClient(0, kMs, kMs, 0)}).empty());
}

// The client of a request that the server has, too, tells its level and its time.
TEST(OverTime, JoinedRequestsAreTimedByTheirClients) {
  Request client = OfClient(0, 100 * kMs, 200 * kMs, 3);
  client.id = "a";
  const Request server = {.id = "cmpl-a", .arrival = 1'000 * kS + 10 * kMs, .e2e = 150 * kMs};
  const auto bins = BinsOf({client, server, OfClient(10 * kS, kMs, kMs, 3)});
  EXPECT_EQ(bins[0].level, 3);
  EXPECT_DOUBLE_EQ(bins[0].e2e->p50, 200e6);
}

TEST(BatchSizes, SmallOnesAreAloneAndEightRowsLieBetweenPowersOfTwo) {
  EXPECT_EQ(SizesWith(1), std::pair(1L, 1L));
  EXPECT_EQ(SizesWith(16), std::pair(16L, 16L));
  EXPECT_EQ(SizesWith(17), std::pair(17L, 18L));
  EXPECT_EQ(SizesWith(32), std::pair(31L, 32L));
  EXPECT_EQ(SizesWith(40), std::pair(37L, 40L));
  EXPECT_EQ(SizesWith(64), std::pair(61L, 64L));
}

TEST(BatchSizes, TokensASecondAreThoseOfAllStepsOfASize) {
  const auto step = [](std::int64_t context, std::int64_t generation, std::int64_t elapsed) {
    return Iteration{.context_requests = context,
                     .context_tokens = context * 100,
                     .generation_requests = generation,
                     .generation_tokens = generation,
                     .elapsed_ns = elapsed};
  };
  Iteration dummy = step(0, 2, 90 * kMs);
  dummy.is_dummy = true;
  const auto rows = BySize({step(0, 2, 10 * kMs), step(0, 2, 30 * kMs), step(1, 3, 20 * kMs),
                            step(2, 0, 50 * kMs), step(0, 0, kMs), dummy});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].kind, BatchKind::kDecode);
  EXPECT_EQ(rows[0].iterations, 2);
  EXPECT_DOUBLE_EQ(rows[0].mean_ns, 20e6);
  EXPECT_DOUBLE_EQ(*rows[0].tokens_per_s, 100);  // four in 40 ms
  EXPECT_EQ(rows[1].kind, BatchKind::kMixed);
  EXPECT_EQ(rows[1].least, 4);
  EXPECT_DOUBLE_EQ(rows[1].context_tokens, 100);
  EXPECT_DOUBLE_EQ(*rows[1].tokens_per_s, 150);
  EXPECT_EQ(rows[2].kind, BatchKind::kPrefill);
  EXPECT_FALSE(rows[2].tokens_per_s);
}

}  // namespace
}  // namespace rankscope::serving
