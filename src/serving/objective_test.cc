#include "serving/objective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units_for_test.h"
#include "serving/base/moment_for_test.h"

namespace rankscope::serving {
namespace {

TEST(Objective, HasLimitsWithUnits) {
  const auto objective = ParseObjective("ttft=0.5s, tpot=50,e2e=10s");
  ASSERT_TRUE(objective.ok());
  EXPECT_EQ(objective->ttft, 500'000'000);
  EXPECT_EQ(objective->tpot, 50'000'000);
  EXPECT_EQ(objective->e2e, 10'000'000'000);
}

TEST(Objective, WhatIsNoLimitIsAUsageError) {
  for (const char* wrong : {"", "ttft", "ttft=", "ttft=-1", "ttft=x", "itl=5ms", "ttft=nan", ","})
    EXPECT_EQ(ParseObjective(wrong).status().code(), StatusCode::kInvalidArgument) << wrong;
}

// A request of 11 tokens each second: 100 ms to the first token, 1 s of decode (100 ms a token),
// and 1.2 s in all, as the server saw it.
ServingData OfServerObjective() {
  ServingData data;
  data.sources.push_back({.path = "spans", .format = "OTLP spans"});
  for (int i = 0; i < 10; ++i)
    data.requests.push_back({.id = "cmpl-" + std::to_string(i),
                             .arrival = kBegin + i * kS,
                             .e2e = 1200 * kMs,
                             .queue = 50 * kMs,
                             .prefill = 50 * kMs,
                             .decode = kS,
                             .output_tokens = 11});
  return data;
}

std::uint32_t AddSource(ServingData& data, const char* format) {
  data.sources.push_back({.path = format, .format = format});
  return static_cast<std::uint32_t>(data.sources.size() - 1);
}

GoodputRow RowOf(ServingData data, const Objective& objective, std::string_view name) {
  for (const GoodputRow& row : GoodputOf(Analyse(std::move(data)), objective))
    if (row.objective == name) return row;
  return {};
}

// An access log has no first token: nothing is known of it, nor of all limits together.
TEST(Goodput, ALimitThatNothingTellsIsUnknown) {
  ServingData data;
  const std::uint32_t source = AddSource(data, "nginx");
  for (int i = 0; i < 10; ++i)
    data.requests.push_back({.source = source,
                             .side = Side::kProxy,
                             .outcome = i == 9 ? Outcome::kFailed : Outcome::kDone,
                             .arrival = kBegin + i * kS,
                             .e2e = i < 4 ? 2 * kS : kS});
  const Objective objective = {.ttft = kS, .e2e = 1500 * kMs};
  EXPECT_EQ(RowOf(data, objective, "ttft").known, 0);
  EXPECT_EQ(RowOf(data, objective, "e2e").known, 10);
  EXPECT_EQ(RowOf(data, objective, "e2e").good, 5);
  EXPECT_EQ(RowOf(data, objective, "all").known, 0);
  EXPECT_FALSE(RowOf(data, objective, "all").per_s);
}

// Spans, a load generator with ids and one without whose clock begins anywhere, and a proxy.
TEST(Goodput, ARequestThatManyRecordedCountsOnce) {
  ServingData data = OfServerObjective();
  const std::uint32_t aiperf = AddSource(data, "AIPerf"), bench = AddSource(data, "vllm bench");
  const std::uint32_t proxy = AddSource(data, "nginx");
  for (int i = 0; i < 10; ++i) {
    const std::int64_t at = i * kS;
    data.requests.push_back({.source = aiperf,
                             .side = Side::kClient,
                             .id = std::to_string(i),
                             .arrival = kBegin + at,
                             .e2e = 1300 * kMs,
                             .ttft = 200 * kMs});
    data.requests.push_back({.source = bench,
                             .side = Side::kClient,
                             .has_wall_clock = false,
                             .arrival = at,
                             .e2e = 1300 * kMs,
                             .ttft = 200 * kMs,
                             .decode = 1100 * kMs,
                             .output_tokens = 11});
    data.requests.push_back(
        {.source = proxy, .side = Side::kProxy, .arrival = kBegin + at, .e2e = 1250 * kMs});
  }
  // The client's times: 110 ms a token, 1.3 s in all.
  const Objective tight = {.ttft = kS, .tpot = 105 * kMs, .e2e = kS * 5};
  EXPECT_EQ(RowOf(data, tight, "tpot").known, 10);
  EXPECT_EQ(RowOf(data, tight, "tpot").good, 0);
  EXPECT_EQ(RowOf(data, tight, "ttft").good, 10);
  const Objective wide = {.ttft = 200 * kMs, .tpot = 110 * kMs, .e2e = 1300 * kMs};
  EXPECT_EQ(RowOf(data, wide, "all").known, 10);
  EXPECT_EQ(RowOf(data, wide, "all").good, 10);
  // From the first arrival to 1.3 s behind the last, 9 s later.
  EXPECT_NEAR(*RowOf(data, wide, "all").per_s, 10 / 10.3, 1e-9);
}

// A gateway's span around the server's belongs to the time of the request.
TEST(Goodput, WhatServicesAroundTheServerTakeCounts) {
  ServingData data = OfServerObjective();
  for (Request& request : data.requests) request.around = 300 * kMs;
  EXPECT_EQ(RowOf(data, {.e2e = 1400 * kMs}, "e2e").good, 0);
  EXPECT_EQ(RowOf(data, {.e2e = 1500 * kMs}, "e2e").good, 10);
}

TEST(Goodput, RatesNeedOneClock) {
  ServingData data = OfServerObjective();
  data.requests[3].has_wall_clock = false;
  EXPECT_FALSE(RowOf(data, {.e2e = 2 * kS}, "e2e").per_s);
}

TEST(Failures, AreCountedWithTheirReason) {
  ServingData data = OfServerObjective();
  EXPECT_EQ(FailureWords(Analyse(data)), "");
  for (int i = 0; i < 2; ++i) data.requests[i].outcome = Outcome::kFailed;
  data.requests[0].problem = data.requests[1].problem = "503";
  EXPECT_EQ(FailureWords(Analyse(data)), "2 of 10 requests failed (503: 2)");
}

}  // namespace
}  // namespace rankscope::serving
