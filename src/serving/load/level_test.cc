#include "serving/load/level.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/units_for_test.h"
#include "serving/base/moment_for_test.h"
#include "serving/load/focus.h"
#include "serving/load/outputs.h"
#include "serving/load/saturation.h"

namespace rankscope::serving {
namespace {

LoadLevel TenSeconds() {
  return {.kind = LoadKind::kOpen, .target_per_s = 10, .begin = kBegin, .sending = 10 * kS};
}

Request AtLevel(std::int64_t ms, std::int64_t e2e_ms) {
  Request request;
  request.side = Side::kClient;
  request.level = 0;
  request.arrival = kBegin + ms * kMs;
  request.e2e = e2e_ms * kMs;
  request.lag = 0;
  request.sent = 0;
  return request;
}

// Twenty a second, each 200 ms: first token after 100 ms, ten more 10 ms apart.
std::vector<Request> Steady() {
  std::vector<Request> requests;
  for (int i = 0; i < 200; ++i) {
    Request request = AtLevel(i * 50, 200);
    request.ttft = 100 * kMs;
    request.gaps.assign(10, 10 * kMs);
    request.output_tokens = 11;
    requests.push_back(request);
  }
  return requests;
}

std::vector<const Request*> Pointers(const std::vector<Request>& requests) {
  std::vector<const Request*> pointers;
  for (const Request& request : requests) pointers.push_back(&request);
  return pointers;
}

LevelResult ResultOf(const LoadLevel& level, const std::vector<Request>& requests,
                     const Objective& objective) {
  return serving::ResultOf(level, Pointers(requests), objective);
}

TEST(Level, OfASteadyServerHasItsRates) {
  const LevelResult result = ResultOf(TenSeconds(), Steady(), {.ttft = 150 * kMs});
  EXPECT_EQ(result.state, LevelState::kSteady);
  EXPECT_EQ(result.invalid, "");
  EXPECT_NEAR(*result.offered_per_s, 20, 0.2);
  // 200 ms of each 50 ms: four at once, but for the window's first.
  EXPECT_NEAR(*result.inside, 4, 0.05);
  EXPECT_NEAR(*result.served_per_s, 20, 0.5);
  EXPECT_NEAR(*result.output_tokens_per_s, 220, 4);
  EXPECT_DOUBLE_EQ(result.ttft->p99, 100e6);
  EXPECT_DOUBLE_EQ(result.tpot->p50, 10e6);
  EXPECT_DOUBLE_EQ(result.e2e->mean, 200e6);
  EXPECT_DOUBLE_EQ(*result.good_pct, 100);
  EXPECT_NEAR(result.good_error_pct.value_or(1), 0, 1e-9);
  EXPECT_FALSE(result.is_stall);
}

TEST(Level, CountsWhatFailedAndWhatDidNotEndAsBad) {
  std::vector<Request> requests = Steady();
  requests[150].outcome = Outcome::kFailed;
  requests[160].outcome = Outcome::kCancelled;
  requests[170].ttft = 160 * kMs;
  const LevelResult result = ResultOf(TenSeconds(), requests, {.ttft = 150 * kMs});
  const auto counted = static_cast<double>(result.requests);
  EXPECT_EQ(result.failed, 1);
  EXPECT_EQ(result.unfinished, 1);
  EXPECT_DOUBLE_EQ(*result.good_pct, 100 * (counted - 3) / counted);
  EXPECT_GT(result.good_error_pct.value_or(0), 0);
}

TEST(Level, ALimitThatNothingTellsIsUnknown) {
  std::vector<Request> requests = Steady();
  for (Request& request : requests) request.output_tokens.reset();
  EXPECT_EQ(ResultOf(TenSeconds(), requests, {.tpot = 20 * kMs}).good_pct, std::nullopt);
}

TEST(Level, WhereMoreComeThanGoIsOverload) {
  // Ten a second come, five go.
  std::vector<Request> requests;
  for (int i = 0; i < 100; ++i) requests.push_back(AtLevel(i * 100, 100 + i * 100));
  EXPECT_EQ(ResultOf(TenSeconds(), requests, {}).state, LevelState::kOverload);
  LoadLevel users = TenSeconds();
  users.kind = LoadKind::kClosed;
  EXPECT_NE(ResultOf(users, requests, {}).state, LevelState::kOverload);
}

TEST(Level, WhereManyFailIsFailing) {
  std::vector<Request> requests = Steady();
  for (std::size_t i = 0; i < requests.size(); i += 10) requests[i].outcome = Outcome::kFailed;
  EXPECT_EQ(ResultOf(TenSeconds(), requests, {}).state, LevelState::kFailing);
}

TEST(Level, OfFewAnswersIsTooShort) {
  const std::vector<Request> requests = {AtLevel(1000, 50), AtLevel(5000, 50)};
  EXPECT_EQ(ResultOf(TenSeconds(), requests, {}).state, LevelState::kTooShort);
}

TEST(Level, ABusyOrLateGeneratorMakesItInvalid) {
  LoadLevel busy = TenSeconds();
  busy.client_busy_pct = 81;
  EXPECT_EQ(ResultOf(busy, Steady(), {}).invalid,
            "the load generator's core was 81% busy (limit 80%)");
  std::vector<Request> late = Steady();
  for (Request& request : late) request.lag = 6 * kMs;
  // 5% of the median first token, 100 ms, are 5 ms; of a limit of 200 ms 10 ms.
  EXPECT_EQ(
      ResultOf(TenSeconds(), late, {}).invalid,
      "1 of 100 requests was begun 6.0 ms late or more (limit 5.0 ms): by the generator, or for "
      "want of --connections");
  EXPECT_EQ(ResultOf(TenSeconds(), late, {.ttft = 200 * kMs}).invalid, "");
}

TEST(Level, AStallStandsOut) {
  std::vector<Request> requests = Steady();
  // Nothing comes from 5.05 s, when the last before ended, to 7.0 s.
  for (Request& request : requests) {
    const std::int64_t since = *request.arrival - kBegin;
    if (since >= 4900 * kMs && since < 7000 * kMs) {
      request.gaps.clear();
      request.ttft = 7000 * kMs - since;
      request.e2e = *request.ttft + 1 * kMs;
    }
  }
  const LevelResult result = ResultOf(TenSeconds(), requests, {});
  EXPECT_TRUE(result.is_stall);
  EXPECT_EQ(*result.silence, 1950 * kMs);
  EXPECT_EQ(*result.silence_at, 5050 * kMs);
}

TEST(Outputs, SilenceNeedsSomebodyInside) {
  const std::vector<Request> requests = {AtLevel(0, 100), AtLevel(5000, 100), AtLevel(9000, 300)};
  const auto silence = LongestSilence(Pointers(requests), kBegin, kBegin + 10 * kS);
  EXPECT_EQ(silence->ns, 300 * kMs);
  EXPECT_EQ(silence->at, kBegin + 9000 * kMs);
  EXPECT_EQ(LongestSilence({}, 0, kS), std::nullopt);
}

TEST(Outputs, TokensLieBetweenTheFirstAndTheLast) {
  Request request = AtLevel(0, 2000);
  request.ttft = 1000 * kMs;
  request.output_tokens = 10;
  const std::vector<Request> requests = {request};
  // From 1 to 2 s of 4 s, in bins of half a second.
  EXPECT_EQ(OutputOverTime(Pointers(requests), kBegin, kBegin + 4 * kS, 8),
            (std::vector<double>{0, 0, 5, 5, 0, 0, 0, 0}));
}

TEST(Outputs, CountsWhoIsInside) {
  const std::vector<Request> requests = {AtLevel(0, 1000), AtLevel(500, 1000)};
  EXPECT_EQ(InsideOverTime(Pointers(requests), kBegin, kBegin + 2 * kS, 5),
            (std::vector<std::int64_t>{1, 2, 1, 0, 0}));
}

LevelResult Open(double per_s, double served, double mean_ms, LevelState state, double good) {
  LevelResult result{.level = {.kind = LoadKind::kOpen, .target_per_s = per_s}, .state = state};
  result.served_per_s = served;
  result.e2e = Spread{.mean = mean_ms * 1e6};
  result.good_pct = good;
  return result;
}

TEST(Saturation, FindsCapacityObjectiveAndKnee) {
  // In any order of rates. Powers: 10, 16, 13.3, 3.5, 0.9.
  const std::vector<LevelResult> levels = {
      Open(1, 1, 100, LevelState::kSteady, 100), Open(8, 7, 2000, LevelState::kSteady, 40),
      Open(2, 2, 125, LevelState::kSteady, 99), Open(4, 4, 300, LevelState::kSteady, 96),
      Open(16, 7.2, 8000, LevelState::kOverload, 0)};
  const Saturation found = SaturationOf(levels, {.ttft = 1});
  EXPECT_EQ(found.capacity, 1U);
  EXPECT_EQ(found.overload, 4U);
  EXPECT_EQ(found.objective, 3U);
  EXPECT_EQ(found.broken, 1U);
  EXPECT_EQ(found.knee, 2U);
  EXPECT_EQ(SaturationOf(levels, {}).objective, std::nullopt);
  // Of 4 a second within the objective, or of 8 that it sustains at all.
  EXPECT_EQ(HeadroomPct(levels[2], found), 50);
  EXPECT_EQ(HeadroomPct(levels[3], found), 0);
  EXPECT_EQ(HeadroomPct(levels[1], found), std::nullopt);
  EXPECT_EQ(HeadroomPct(levels[2], SaturationOf(levels, {})), 75);
  EXPECT_EQ(HeadroomPct({.level = {.kind = LoadKind::kClosed, .users = 1}}, found), std::nullopt);
}

TEST(Saturation, LeavesOutWhatIsInvalid) {
  std::vector<LevelResult> levels = {Open(1, 1, 100, LevelState::kSteady, 100),
                                     Open(2, 2, 100, LevelState::kSteady, 100),
                                     Open(4, 4, 100, LevelState::kSteady, 100)};
  levels[2].invalid = "busy";
  EXPECT_EQ(SaturationOf(levels, {}).capacity, 1U);
}

TEST(Focus, IsWhereTheServerIsAtItsEnd) {
  std::vector<LevelResult> levels = {Open(1, 1, 100, LevelState::kSteady, 100),
                                     Open(2, 2, 125, LevelState::kSteady, 90),
                                     Open(4, 3, 9000, LevelState::kOverload, 0)};
  const Objective objective = {.ttft = 1};
  EXPECT_EQ(FocusOf(levels, SaturationOf(levels, objective)), 2U);
  levels[2].state = LevelState::kSteady;
  EXPECT_EQ(FocusOf(levels, SaturationOf(levels, objective)), 1U);
  EXPECT_EQ(FocusOf(levels, SaturationOf(levels, {})), 2U);
  levels.resize(1);
  EXPECT_EQ(FocusOf(levels, SaturationOf(levels, objective)), std::nullopt);
}

TEST(Focus, TakesWhatWasRecordedMeanwhile) {
  ServingData data;
  data.sources.resize(1);
  LoadLevel level = TenSeconds();
  Request before = AtLevel(-5000, 100), of_it = AtLevel(100, 12'000), server = AtLevel(200, 100);
  before.level = 1;
  server.level = -1;
  data.requests = {before, of_it, server};
  data.loads = {{.time = kBegin - 1}, {.time = kBegin + 12 * kS}, {.time = kBegin + 13 * kS}, {}};
  const ServingData part = PartOf(data, level);
  EXPECT_EQ(part.requests.size(), 2U);
  EXPECT_EQ(part.loads.size(), 1U);
  EXPECT_EQ(part.levels.size(), 1U);
}

}  // namespace
}  // namespace rankscope::serving
