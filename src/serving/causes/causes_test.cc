// Each cause on a small server with it, and on one without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "serving/causes/healthy_server_for_test.h"

namespace rankscope::serving {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void AddDecodeSteps(ServingData& data, std::int64_t floor, std::int64_t slope) {
  for (int i = 0; i < 400; ++i) {
    const std::int64_t requests = 1 + i % 8;
    data.iterations.push_back({.generation_requests = requests,
                               .generation_tokens = requests,
                               .elapsed_ns = floor + slope * requests});
  }
}

Causes Find(ServingData data) { return FindCauses(Analyse(std::move(data))); }

TEST(Causes, AHealthyServerHasNone) {
  ServingData data = Healthy();
  AddLoads(data, 10, 0, 0.3);
  AddDecodeSteps(data, 10 * kMs, kMs / 10);
  EXPECT_THAT(IdsCauses(Find(std::move(data))), IsEmpty());
}

// A sample every 10 s; every other one is idle, with the cache in use that `floor_of` says (by the
// number of idle samples before).
Causes WithFloor(const std::function<double(int)>& floor_of, int idle = 20) {
  ServingData data = Healthy();
  data.sources.push_back({.path = "metrics", .format = "loads"});
  for (int i = 0; i < 2 * idle; ++i)
    data.loads.push_back({.source = 1,
                          .time = kBegin + i * 10 * kS,
                          .running = i % 2 == 0 ? 0 : 8,
                          .waiting = 0,
                          .kv_usage = floor_of(i / 2) + (i % 2 == 0 ? 0 : 0.2)});
  return Find(std::move(data));
}

TEST(Causes, KvCacheLeak) {
  // 2% more after each load, 10% at first. Quarters are five samples: floors of 14 and 44%, and 300
  // s between their middles: 0.1% a second, 56% are left.
  const Causes causes = WithFloor([](int idle) { return 0.1 + 0.02 * idle; });
  ASSERT_THAT(IdsCauses(causes), ElementsAre("kv-cache-leak"));
  EXPECT_EQ(causes.findings[0].title,
            "KV cache stays in use without a request: 14.0% to 44.0% within 380 s; full in 560 s");
  EXPECT_EQ(causes.findings[0].severity(), "high");
}

TEST(Causes, AFloorThatDoesNotGrowIsNoLeak) {
  EXPECT_THAT(IdsCauses(WithFloor([](int) { return 0.3; })), IsEmpty());
  // Kept once: a prefix that stays.
  EXPECT_THAT(IdsCauses(WithFloor([](int idle) { return idle < 3 ? 0 : 0.3; })), IsEmpty());
  // Up and down.
  EXPECT_THAT(IdsCauses(WithFloor([](int idle) { return 0.1 + 0.1 * (idle % 4); })), IsEmpty());
  // Too few to tell.
  const Causes few = WithFloor([](int idle) { return 0.1 * idle; }, 7);
  EXPECT_THAT(IdsCauses(few), IsEmpty());
  EXPECT_THAT(few.unchecked, Contains(HasSubstr("kv-cache-leak: needs eight scrapes")));
}

TEST(Causes, QueueingHasSlotsForAReason) {
  ServingData data = Healthy();
  Queue(data, kS);
  AddLoads(data, 8, 5, 0.3);
  const Causes causes = Find(data);
  EXPECT_THAT(IdsCauses(causes), ElementsAre("queueing"));
  EXPECT_THAT(causes.findings[0].title, HasSubstr("All 8 slots are taken"));
  EXPECT_NEAR(*causes.findings[0].lost_pct, 50, 1e-6);
  EXPECT_EQ(causes.findings[0].severity(), "high");
  // Where a step of 16 costs little more than one of 8, batches are too small.
  AddDecodeSteps(data, 10 * kMs, kMs / 10);
  EXPECT_THAT(IdsCauses(Find(data)), ElementsAre("small-batches"));
}

// A step of 16 takes twice as long as one of 8: nothing is to be had of larger ones.
TEST(Causes, BatchesThatCostWhatTheyBringAreNotSmall) {
  ServingData data = Healthy();
  Queue(data, kS);
  AddLoads(data, 8, 5, 0.3);
  AddDecodeSteps(data, kMs / 10, 10 * kMs);
  EXPECT_THAT(IdsCauses(Find(std::move(data))), ElementsAre("queueing"));
}

TEST(Causes, QueueingWithoutLoadsHasNoReason) {
  ServingData data = Healthy();
  Queue(data, kS);
  const Causes causes = Find(std::move(data));
  EXPECT_THAT(IdsCauses(causes), ElementsAre("queueing"));
  EXPECT_THAT(causes.findings[0].evidence, HasSubstr("the reason is not recorded"));
  EXPECT_THAT(causes.findings[0].no_gain, Not(IsEmpty()));
}

TEST(Causes, AFullCacheExplainsTheQueue) {
  ServingData data = Healthy();
  Queue(data, kS);
  AddLoads(data, 8, 5, 0.98);
  EXPECT_THAT(IdsCauses(Find(std::move(data))), ElementsAre("kv-cache-pressure"));
}

// 52 of 201 samples as at a server of 8 slots whose cache is mostly half empty: slots are the
// reason, though requests were preempted meanwhile.
TEST(Causes, SlotsAreTheReasonWhereTheCacheIsSeldomFull) {
  ServingData data = Healthy();
  Queue(data, kS);
  AddLoads(data, 8, 5, 0.5, "", 150);
  AddLoads(data, 6, 5, 0.97, "", 50);
  for (Load& load : data.loads) load.source = 1;
  Analysis analysis = Analyse(data);
  ReplicaSeries series;
  Moment moment;
  moment.gained[static_cast<std::size_t>(Metric::kPreemptions)] = 327;
  moment.gained[static_cast<std::size_t>(Metric::kFinished)] = 699;
  series.moments.push_back(moment);
  analysis.replicas.push_back(series);
  const Causes causes = FindCauses(analysis);
  EXPECT_THAT(IdsCauses(causes), ElementsAre("queueing"));
  EXPECT_THAT(causes.findings[0].title, HasSubstr("All 8 slots are taken"));
  EXPECT_THAT(causes.findings[0].evidence, HasSubstr("327 preemptions over 699 requests"));
  // Three in four the other way round: the cache.
  for (Load& load : analysis.loads) load.kv_usage = 1.47 - *load.kv_usage;
  const Causes of_cache = FindCauses(analysis);
  EXPECT_THAT(IdsCauses(of_cache), ElementsAre("kv-cache-pressure"));
  EXPECT_THAT(of_cache.findings[0].title, HasSubstr("327 preemptions over 699 requests"));
}

// vLLM says that what waits does not wait for capacity.
TEST(Causes, DeferredRequestsDoNotWaitForSlots) {
  ServingData data = Healthy();
  Queue(data, kS);
  AddLoads(data, 4, 30, 0.2);
  for (Load& load : data.loads) load.waiting_capacity = 0;
  const Causes causes = Find(data);
  EXPECT_THAT(IdsCauses(causes), ElementsAre("queueing"));
  EXPECT_THAT(causes.findings[0].title, HasSubstr("deferred"));
  EXPECT_THAT(causes.findings[0].change, HasSubstr("--max-loras"));
  for (Load& load : data.loads) load.waiting_capacity = 30;
  EXPECT_THAT(Find(data).findings[0].title, HasSubstr("All 4 slots"));
}

// 200 requests in 19.9 s that are served by 100: 10 a second and 2.
TEST(Causes, WhereMoreSlotsGainLittleTheRateIsTold) {
  ServingData data = Healthy();
  for (int i = 0; i < 200; ++i) {
    data.requests[i].queue = i * 400 * kMs;
    data.requests[i].e2e = *data.requests[i].e2e + i * 400 * kMs;
  }
  AddLoads(data, 8, 5, 0.3);
  const Analysis analysis = Analyse(std::move(data));
  Finding finding{.id = "small-batches", .title = "Batches end", .gain_pct = 8.8, .more_slots = 2};
  TellRateFirst(analysis, {}, finding);
  EXPECT_EQ(finding.id, "queueing");
  EXPECT_THAT(finding.title, HasSubstr("10.1 requests a second come and 2.0 are served"));
  finding = {.id = "small-batches", .title = "Batches end", .gain_pct = 41, .more_slots = 2};
  TellRateFirst(analysis, {}, finding);
  EXPECT_EQ(finding.title, "Batches end");
}

TEST(Causes, OneSlotIsOne) {
  ServingData data = Healthy();
  Queue(data, kS);
  AddLoads(data, 1, 5, 0.3);
  EXPECT_THAT(Find(data).findings[0].title, HasSubstr("The only slot is taken"));
}

// A cache that is full while nothing waits and nothing is preempted is well used.
TEST(Causes, AFullCacheAloneIsNone) {
  ServingData data = Healthy();
  AddLoads(data, 8, 0, 0.98);
  EXPECT_THAT(IdsCauses(Find(std::move(data))), IsEmpty());
}

TEST(Causes, StepsWithPromptsStallOthers) {
  ServingData data;
  data.sources.push_back({.path = "log"});
  AddDecodeSteps(data, 10 * kMs, kMs / 10);
  for (int i = 0; i < 20; ++i)
    data.iterations.push_back({.context_requests = 1,
                               .context_tokens = 8000,
                               .generation_requests = 6,
                               .generation_tokens = 6,
                               .elapsed_ns = 300 * kMs});
  EXPECT_THAT(IdsCauses(Find(data)), ElementsAre("prefill-interference"));
  for (Iteration& one : data.iterations)
    if (one.context_requests > 0) one.elapsed_ns = 20 * kMs;
  EXPECT_THAT(IdsCauses(Find(data)), IsEmpty());
}

// All steps are of six requests: a constant cost will do, and says nothing of larger batches.
TEST(Causes, StallsAreFoundWhereAllStepsHaveOneSize) {
  ServingData data;
  data.sources.push_back({.path = "log"});
  const Iteration decode = {
      .generation_requests = 6, .generation_tokens = 6, .elapsed_ns = 10 * kMs};
  data.iterations.assign(100, decode);
  const Iteration mixed = {.context_requests = 1,
                           .context_tokens = 8000,
                           .generation_requests = 6,
                           .generation_tokens = 6,
                           .elapsed_ns = 300 * kMs};
  for (int i = 0; i < 20; ++i) data.iterations.push_back(mixed);
  EXPECT_THAT(IdsCauses(Find(data)), ElementsAre("prefill-interference"));
  for (Iteration& one : data.iterations)
    if (one.context_requests > 0) one.generation_requests = 3;
  EXPECT_THAT(Find(data).unchecked, Contains(HasSubstr("of one or two sizes")));
  data.iterations.erase(data.iterations.begin(), data.iterations.begin() + 85);
  EXPECT_THAT(Find(data).unchecked, Contains(HasSubstr("of which 15 are recorded")));
}

// Steps of 2,000 tokens that take 13 times a decode step: the work of a token budget that is usual,
// which would take as long in smaller pieces.
TEST(Causes, PromptsWithinAUsualBudgetDoNotStallOthers) {
  ServingData data;
  data.sources.push_back({.path = "log"});
  AddDecodeSteps(data, 10 * kMs, kMs / 10);
  for (int i = 0; i < 100; ++i)
    data.iterations.push_back({.context_requests = 1,
                               .context_tokens = 2000,
                               .generation_requests = 6,
                               .generation_tokens = 6,
                               .elapsed_ns = 140 * kMs});
  EXPECT_THAT(IdsCauses(Find(data)), IsEmpty());
  // Three that compile beside prompts of 100 tokens are no stalls of prompts.
  for (int i = 0; i < 3; ++i)
    data.iterations.push_back({.context_requests = 1,
                               .context_tokens = 100,
                               .generation_requests = 6,
                               .generation_tokens = 6,
                               .elapsed_ns = 10 * kS});
  EXPECT_THAT(IdsCauses(Find(data)), IsEmpty());
}

TEST(Causes, PromptsThatWereComputedBeforeAreMissed) {
  ServingData data = Healthy();
  for (Request& request : data.requests) {
    request.prompt_blocks = {1, 2, 3, 4};
    request.cached_tokens = 0;
  }
  const Causes causes = Find(data);
  EXPECT_THAT(IdsCauses(causes), ElementsAre("prefix-cache-miss"));
  EXPECT_THAT(causes.findings[0].title, HasSubstr("99.5% had been computed before"));
  for (Request& request : data.requests) request.cached_tokens = 96;
  EXPECT_THAT(IdsCauses(Find(data)), IsEmpty());
}

// Requests come in crowds of 20 and alone, in turns; in a crowd the frontend takes 0.6 s, else 0.1.
TEST(Causes, AFrontendThatGrowsWithTheLoadIsTheLimit) {
  ServingData data = Healthy(0);
  std::int64_t now = kBegin;
  for (int i = 0; i < 400; ++i) {
    const bool is_crowd = i / 20 % 2 == 0;
    now += is_crowd ? 10 * kMs : 3 * kS;
    data.requests.push_back({.arrival = now,
                             .e2e = kS + (is_crowd ? 600 : 100) * kMs,
                             .queue = 0,
                             .prefill = 20 * kMs,
                             .decode = 980 * kMs});
  }
  EXPECT_THAT(IdsCauses(Find(data)), ElementsAre("frontend-bound"));
  for (Request& request : data.requests) request.e2e = kS + 300 * kMs;
  EXPECT_THAT(IdsCauses(Find(data)), IsEmpty());
}

// 20 scrapes of 10 requests, each of 3.4 s, 1.5 of which are neither queue nor engine, at any load.
TEST(Causes, ALongFrontendThatScrapesDoNotExplainIsListed) {
  Analysis analysis = Analyse({});
  analysis.times = {.total = 3.4e9, .queue = 0, .frontend = 1.5e9, .engine = 1.9e9};
  ReplicaSeries series;
  for (int i = 0; i <= 20; ++i) {
    Moment moment{.time = kBegin + i * kS};
    moment.histograms[Metric::kE2e] = {.sum = 34e9, .count = 10};
    moment.histograms[Metric::kQueue] = {.sum = 0, .count = 10};
    moment.histograms[Metric::kInference] = {.sum = 19e9, .count = 10};
    series.moments.push_back(moment);
  }
  analysis.replicas.push_back(series);
  const Causes causes = FindCauses(analysis);
  EXPECT_THAT(IdsCauses(causes), IsEmpty());
  EXPECT_THAT(causes.unchecked, Contains(HasSubstr("frontend-bound: 44.1% of requests' time")));
  analysis.times.frontend = 0.4e9;
  EXPECT_THAT(FindCauses(analysis).unchecked, Not(Contains(HasSubstr("frontend-bound: 44"))));
}

TEST(Causes, FirstRequestsPayForAColdStart) {
  ServingData data = Healthy();
  data.requests[0].prefill = 20 * kS;
  data.requests[0].e2e = *data.requests[0].e2e + 20 * kS;
  const Causes causes = Find(data);
  EXPECT_THAT(IdsCauses(causes), ElementsAre("cold-start"));
  EXPECT_THAT(causes.findings[0].title, HasSubstr("The first request took 20.0 s"));
  // A long prompt explains it.
  data.requests[0].prompt_tokens = 100'000;
  EXPECT_THAT(IdsCauses(Find(data)), IsEmpty());
}

// The queue of those that came meanwhile is the cold start's.
TEST(Causes, WhatWaitsBehindAColdStartIsNoQueueing) {
  ServingData data = Healthy(1000);
  data.requests[0].prefill = 20 * kS;
  for (std::size_t i = 1; i < 300; ++i) {
    data.requests[i].queue = 10 * kS;
    data.requests[i].e2e = *data.requests[i].e2e + 10 * kS;
  }
  data.requests[0].e2e = *data.requests[0].e2e + 20 * kS;
  EXPECT_THAT(IdsCauses(Find(std::move(data))), ElementsAre("cold-start"));
}

TEST(Causes, IdleDevicesInDecodeStepsAreTheHosts) {
  ServingData data = Healthy();
  data.trace_phases.push_back({.phase = "decode",
                               .steps = 10,
                               .mean_ns = 8e6,
                               .median_ns = 8e6,
                               .time_pct = 100,
                               .busy_pct = 60});
  const Causes causes = Find(data);
  EXPECT_THAT(IdsCauses(causes), ElementsAre("host-bound-decode"));
  // 40% of the 97% that decoding takes.
  EXPECT_NEAR(*causes.findings[0].lost_pct, 38.8, 1e-6);
  data.trace_phases[0].busy_pct = 80;
  EXPECT_THAT(IdsCauses(Find(data)), IsEmpty());
  data.trace_phases[0] = {.phase = "decode", .steps = 9, .busy_pct = 10};
  EXPECT_THAT(IdsCauses(Find(data)), IsEmpty());
}

TEST(Causes, WhatWasNotLookedForIsSaid) {
  const Causes causes = Find(Healthy(1));
  EXPECT_THAT(causes.unchecked, Contains(HasSubstr("replica-imbalance: needs")));
  EXPECT_THAT(causes.unchecked, Contains(HasSubstr("prefill-interference: needs")));
}

}  // namespace
}  // namespace rankscope::serving
