// Joins, stages, tails, Little's law and batches, on requests whose numbers are worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units_for_test.h"
#include "serving/requests/batches.h"
#include "serving/requests/join.h"
#include "serving/requests/little.h"
#include "serving/requests/stages.h"
#include "serving/requests/tail.h"

namespace rankscope::serving {
namespace {

Request OfServerRequests(std::int64_t e2e, std::int64_t queue, std::int64_t prefill,
                         std::int64_t decode) {
  return {.e2e = e2e, .queue = queue, .prefill = prefill, .decode = decode};
}

TEST(Join, ClientsAreJoinedByTheIdThatTheyGave) {
  const std::vector<Request> requests = {
      {.side = Side::kClient, .id = "a", .arrival = 9, .e2e = 1500},
      {.side = Side::kServer, .id = "chatcmpl-a", .arrival = 10, .e2e = 1000},
      {.side = Side::kClient, .id = "b", .e2e = 7},
      {.side = Side::kServer, .id = "cmpl-c", .arrival = 1, .e2e = 5}};
  const Joined joined = JoinRequests(requests);
  EXPECT_EQ(joined.joined, 1);
  ASSERT_EQ(joined.requests.size(), 3u);
  EXPECT_EQ(joined.requests[0].id, "cmpl-c");
  EXPECT_EQ(joined.requests[1].around, 500);
  EXPECT_EQ(joined.requests[2].id, "b");  // without an arrival
}

// A proxy's record is of a request that the client has, too: it is counted once.
TEST(Join, ThreeSidesAreOneRequest) {
  const std::vector<Request> requests = {{.side = Side::kProxy, .id = "a", .e2e = 1200},
                                         {.side = Side::kServer, .id = "a", .e2e = 1000},
                                         {.side = Side::kClient, .id = "a", .e2e = 1500}};
  const Joined joined = JoinRequests(requests);
  ASSERT_EQ(joined.requests.size(), 1u);
  EXPECT_EQ(joined.requests[0].around, 500);
}

TEST(Join, CopiesOfARecordCountOnce) {
  const Request one = {.id = "a", .arrival = 5, .e2e = 7};
  Request retry = one;
  retry.arrival = 9;
  const Joined joined = JoinRequests({one, one, retry});
  EXPECT_EQ(joined.requests.size(), 2u);
  EXPECT_EQ(joined.repeated, 1);
}

TEST(Join, IdsThatAreUsedTwiceJoinNothing) {
  const std::vector<Request> requests = {{.side = Side::kServer, .id = "a"},
                                         {.side = Side::kServer, .id = "a"},
                                         {.side = Side::kClient, .id = "a"}};
  EXPECT_EQ(JoinRequests(requests).requests.size(), 3u);
}

TEST(Stages, SumToTheTimeOfTheRequest) {
  const auto parts = PartsOf(OfServerRequests(1000, 200, 300, 400));
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->of(Stage::kFrontend), 100);
  EXPECT_EQ(parts->total, 1000);
  Request around = OfServerRequests(1000, 200, 300, 400);
  around.around = 50;
  EXPECT_EQ(PartsOf(around)->total, 1050);
}

TEST(Stages, AreAsFineAsTheRecord) {
  EXPECT_EQ(PartsOf({.e2e = 100, .ttft = 30})->of(Stage::kFirstToken), 30);
  EXPECT_EQ(PartsOf({.e2e = 100, .ttft = 30})->of(Stage::kDecode), 70);
  EXPECT_EQ(PartsOf({.e2e = 100, .ttft = 30, .queue = 10})->of(Stage::kPrefill), 20);
  EXPECT_EQ(PartsOf({.e2e = 100})->of(Stage::kResponse), 100);
  EXPECT_EQ(PartsOf({.e2e = 100, .upstream = 60})->of(Stage::kNetwork), 40);
  EXPECT_FALSE(PartsOf({.ttft = 30}));
}

TEST(Stages, RecordsThatContradictThemselvesHaveNone) {
  EXPECT_FALSE(PartsOf(OfServerRequests(kS, kS, kS, kS)));
  EXPECT_FALSE(PartsOf({.e2e = kS, .ttft = 2 * kS}));
  // Rounding is none.
  EXPECT_EQ(PartsOf(OfServerRequests(kS, kS, 0, kMs / 2))->of(Stage::kFrontend), 0);
}

TEST(Stages, TheFinestDivisionThatHalfOfThemHaveIsChosen) {
  std::vector<Request> requests(4, OfServerRequests(1000, 200, 300, 400));
  requests.resize(10, {.side = Side::kClient, .e2e = 100, .ttft = 30});
  EXPECT_EQ(Choose(requests).depth, Depth::kAll);
  EXPECT_EQ(Choose(requests).others, 6);
  requests.resize(20, requests.back());
  EXPECT_EQ(Choose(requests).depth, Depth::kFirstToken);
  requests[19].outcome = Outcome::kFailed;
  EXPECT_EQ(Choose(requests).failed, 1);
}

// 570 requests of 1 s (queue 0.1, decode 0.9) and 30 of 3 s whose queue is 2.1.
TEST(Tail, SharesSumToTheExcess) {
  std::vector<Request> requests(570, OfServerRequests(kS, kS / 10, 0, kS * 9 / 10));
  requests.resize(600, OfServerRequests(3 * kS, 21 * kS / 10, 0, kS * 9 / 10));
  const Population population = Choose(requests);
  const auto tail = TailOf(requests, population);
  ASSERT_TRUE(tail);
  EXPECT_EQ(tail->requests, 30);
  EXPECT_DOUBLE_EQ(tail->quantile, 0.95);
  EXPECT_NEAR(tail->excess_ns(), 2e9, 1);
  EXPECT_NEAR(*tail->stage_ns[static_cast<std::size_t>(Stage::kQueue)], 2e9, 1);
  double sum = tail->length_ns;
  for (const auto& stage : tail->stage_ns) sum += stage.value_or(0);
  EXPECT_NEAR(sum, tail->excess_ns(), 10);
}

// All that take longer make more tokens, and take as long as others of their length.
TEST(Tail, LongAnswersAreTheLengthsShare) {
  std::vector<Request> requests;
  for (int i = 0; i < 600; ++i) {
    Request one = OfServerRequests(kS, 0, 0, kS);
    one.output_tokens = 10;
    if (i < 60) {
      one = OfServerRequests(9 * kS, 0, 0, 9 * kS);
      one.output_tokens = 90;
    }
    requests.push_back(one);
  }
  const auto tail = TailOf(requests, Choose(requests));
  ASSERT_TRUE(tail);
  EXPECT_NEAR(tail->length_ns, 8e9, 10);
  EXPECT_NEAR(*tail->stage_ns[static_cast<std::size_t>(Stage::kDecode)], 0, 10);
}

TEST(Tail, FewRequestsHaveNone) {
  std::vector<Request> requests(299, OfServerRequests(kS, 0, 0, kS));
  EXPECT_FALSE(TailOf(requests, Choose(requests)));
}

// A request a second waits 2 s: two wait at any time.
class Little : public ::testing::Test {
 protected:
  Little() {
    for (int i = 0; i < 100; ++i) {
      requests_.push_back(OfServerRequests(3 * kS, 2 * kS, 0, kS));
      requests_.back().arrival = (i + 1) * kS;
    }
  }
  std::vector<LittleRow> Check(double first, double last) {
    std::vector<Load> loads;
    for (int i = 0; i <= 100; ++i)
      loads.push_back(
          {.time = (i + 1) * kS, .running = 1, .waiting = first + (last - first) * i / 100});
    return CheckLittle(requests_, Choose(requests_), loads, {});
  }
  std::vector<Request> requests_;
};

TEST_F(Little, HoldsWhereGaugesAndRequestsAgree) {
  const auto rows = Check(2, 2);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].stage, "queue");
  EXPECT_DOUBLE_EQ(rows[0].level, 2);
  EXPECT_DOUBLE_EQ(rows[0].rate, 1);
  EXPECT_EQ(rows[0].verdict, "holds");
  EXPECT_EQ(rows[1].verdict, "holds");
}

// They wait 10 ms each: what gauges see of a hundredth of a request is chance.
TEST_F(Little, LessThanATenthOfARequestIsTooFewToTell) {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    requests_[i] = OfServerRequests(kS + kS / 100, kS / 100, 0, kS);
    requests_[i].arrival = static_cast<std::int64_t>(i + 1) * kS;
  }
  const auto rows = Check(0.05, 0.05);
  EXPECT_EQ(rows[0].verdict, "too few to tell");
  EXPECT_EQ(rows[1].verdict, "holds");
}

TEST_F(Little, AQueueThatGrowsIsNoSteadyState) {
  EXPECT_EQ(Check(0, 40)[0].verdict, "no steady state");
}

TEST_F(Little, WhatElseDiffersIsClocks) { EXPECT_EQ(Check(5, 5)[0].verdict, "clocks or sampling"); }

Request OfService(Ns queue, std::int64_t handler, Ns lock, Ns send) {
  return {.arrival = 0, .queue = queue, .read = 2, .handler = handler, .lock = lock, .send = send};
}

TEST(StagesOfService, SumToItsTime) {
  const auto parts = PartsOf(OfService(10, 100, 30, 8));
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->depth, Depth::kService);
  EXPECT_EQ(parts->of(Stage::kQueue), 10);
  EXPECT_EQ(parts->of(Stage::kRead), 2);
  EXPECT_EQ(parts->of(Stage::kLock), 30);
  EXPECT_EQ(parts->of(Stage::kHandler), 70);
  EXPECT_EQ(parts->of(Stage::kSend), 8);
  EXPECT_EQ(parts->total, 120);
}

TEST(StagesOfService, WhatNoHookSawIsInNoStage) {
  const auto parts = PartsOf(OfService(std::nullopt, 100, std::nullopt, std::nullopt));
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->depth, Depth::kHandler);
  EXPECT_EQ(parts->of(Stage::kQueue), std::nullopt);
  EXPECT_EQ(parts->of(Stage::kLock), std::nullopt);
  EXPECT_EQ(parts->of(Stage::kSend), std::nullopt);
  EXPECT_EQ(parts->total, 102);
}

TEST(StagesOfService, LocksBeyondTheHandlerContradictIt) {
  EXPECT_FALSE(PartsOf(OfService(10, 100 * kMs, 200 * kMs, 8)));
}

// A request each 100 ms waits 50 ms, is with a worker for 30 and is sent for 10.
TEST(LittleOfService, HoldsForEachStage) {
  std::vector<Request> requests;
  std::vector<Load> loads;
  const auto add_load = [&](std::int64_t ms, double waiting, double running, double sending) {
    loads.push_back({.replica = "a",
                     .is_named = true,
                     .time = ms * kMs,
                     .running = running,
                     .waiting = waiting,
                     .sending = sending});
  };
  for (int i = 0; i < 100; ++i) {
    const std::int64_t arrival = 100 * i;
    requests.push_back({.arrival = arrival * kMs,
                        .e2e = 90 * kMs,
                        .queue = 50 * kMs,
                        .read = 5 * kMs,
                        .handler = 25 * kMs,
                        .lock = 5 * kMs,
                        .send = 10 * kMs});
    add_load(arrival, 1, 0, 0);
    add_load(arrival + 50, 0, 1, 0);
    add_load(arrival + 80, 0, 0, 1);
    add_load(arrival + 90, 0, 0, 0);
  }
  const auto rows = CheckLittle(requests, Choose(requests), loads, {});
  ASSERT_EQ(rows.size(), 3u);
  const std::vector<std::pair<std::string, double>> expected = {
      {"queue", 0.5}, {"handler", 0.3}, {"send", 0.1}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[i].stage, expected[i].first);
    EXPECT_NEAR(rows[i].level, expected[i].second, 0.01);
    EXPECT_NEAR(rows[i].rate * rows[i].time_ns / 1e9, expected[i].second, 0.01);
    EXPECT_EQ(rows[i].verdict, "holds");
  }
}

// Reports take ten times as long as ranks.
TEST(TailOfService, ComparesCallsByMethod) {
  std::vector<Request> requests;
  for (int i = 0; i < 400; ++i) {
    const bool is_report = i % 10 == 0;
    Request request = OfService(0, (is_report ? 1000 : 100) * kMs, 0, 0);
    request.method = is_report ? "report" : "rank";
    requests.push_back(request);
  }
  const auto tail = TailOf(requests, Choose(requests));
  ASSERT_TRUE(tail);
  EXPECT_TRUE(tail->is_by_method);
  EXPECT_EQ(tail->requests, 30);
  // The tail are reports as slow as any other: all of it is the method.
  EXPECT_NEAR(tail->length_ns, 900.0 * kMs, 1);
  EXPECT_NEAR(*tail->stage_ns[static_cast<std::size_t>(Stage::kHandler)], 0, 1);
}

std::vector<Iteration> Decodes() {
  std::vector<Iteration> iterations;
  for (int i = 0; i < 30; ++i) {
    const std::int64_t requests = 1 + i % 4;
    iterations.push_back({.generation_requests = requests,
                          .generation_tokens = requests,
                          .elapsed_ns = 10 * kMs + requests * kMs});
  }
  return iterations;
}

// T(n) = 10 ms + 1 ms n.
TEST(Batches, DecodeStepsHaveAFloorAndASlope) {
  const Batches batches = BatchesOf(Decodes());
  ASSERT_TRUE(batches.cost);
  EXPECT_NEAR(batches.cost->floor_ns, 10e6, 10);
  EXPECT_NEAR(batches.cost->slope_ns, 1e6, 10);
  EXPECT_NEAR(batches.cost->TokensPerSecond(10), 500, 0.01);
  EXPECT_FALSE(batches.lost_to_prefill);
}

// 30 decode steps hold 73 requests: sum of T n = 10 * 73 + sum of n^2 (215) = 945 ms. A mixed step
// of 4 requests takes 114 ms, 100 more than alone: 400 ms of 945 + 456.
TEST(Batches, MixedStepsAreComparedWithDecodeSteps) {
  std::vector<Iteration> iterations = Decodes();
  std::int64_t requests = 0, squares = 0;
  for (const Iteration& one : iterations) {
    requests += one.generation_requests;
    squares += one.generation_requests * one.generation_requests;
  }
  EXPECT_EQ(requests, 73);
  EXPECT_EQ(squares, 215);
  iterations.push_back({.context_requests = 1,
                        .context_tokens = 100,
                        .generation_requests = 4,
                        .generation_tokens = 4,
                        .elapsed_ns = 114 * kMs});
  iterations.push_back({.generation_requests = 9, .elapsed_ns = 900 * kMs, .is_dummy = true});
  const Batches batches = BatchesOf(iterations);
  ASSERT_TRUE(batches.lost_to_prefill);
  EXPECT_NEAR(*batches.lost_to_prefill, 400.0 / (10 * 73 + 215 + 456), 1e-6);
  EXPECT_EQ(batches.mixed, 1);
}

// 30 steps of 8 requests take 20 ms; one of 8 with a prompt takes 100.
TEST(Batches, MixedStepsOfTheSizeOfAllDecodeStepsAreCompared) {
  std::vector<Iteration> iterations(30, {.generation_requests = 8, .elapsed_ns = 20 * kMs});
  iterations.push_back({.context_requests = 1, .generation_requests = 8, .elapsed_ns = 100 * kMs});
  Batches batches = BatchesOf(iterations);
  EXPECT_FALSE(batches.cost) << "of larger steps nothing is known";
  ASSERT_TRUE(batches.alone);
  EXPECT_EQ(batches.alone->At(8), 20e6);
  EXPECT_NEAR(*batches.lost_to_prefill, 80.0 / (30 * 20 + 100), 1e-9);
  iterations.back().generation_requests = 4;
  EXPECT_FALSE(BatchesOf(iterations).alone);
  // Between two sizes a line: 28 ms of 12.
  for (int i = 0; i < 15; ++i)
    iterations[static_cast<std::size_t>(i)] = {.generation_requests = 16, .elapsed_ns = 36 * kMs};
  iterations.back().generation_requests = 12;
  EXPECT_NEAR(BatchesOf(iterations).alone->At(12), 28e6, 1);
}

TEST(Batches, FewStepsHaveNoCost) {
  std::vector<Iteration> iterations = Decodes();
  iterations.resize(19);
  EXPECT_FALSE(BatchesOf(iterations).cost);
}

}  // namespace
}  // namespace rankscope::serving
