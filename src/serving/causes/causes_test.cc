// Each cause on a small server with it, and on one without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/units_for_test.h"
#include "serving/base/moment_for_test.h"
#include "serving/causes/cause.h"
#include "serving/causes/server_words.h"

namespace rankscope::serving {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

std::vector<std::string> IdsCauses(const Causes& causes) {
  std::vector<std::string> ids;
  for (const Finding& finding : causes.findings) ids.push_back(finding.id);
  return ids;
}

// A request every 100 ms, each of 1 s: queue 0, prefill 20 ms, decode 970 ms, frontend 10 ms.
ServingData Healthy(int count = 200) {
  ServingData data;
  data.sources.push_back({.path = "spans", .format = "OTLP spans"});
  for (int i = 0; i < count; ++i) {
    data.requests.push_back({.arrival = kBegin + i * 100 * kMs,
                             .e2e = kS,
                             .queue = 0,
                             .prefill = 20 * kMs,
                             .decode = 970 * kMs,
                             .prompt_tokens = 100,
                             .output_tokens = 98});
  }
  return data;
}

void AddLoads(ServingData& data, double running, double waiting, std::optional<double> kv,
              const std::string& replica = "", int count = 20) {
  data.sources.push_back({.path = replica + ".log", .format = "loads"});
  for (int i = 0; i < count; ++i)
    data.loads.push_back({.source = static_cast<std::uint32_t>(data.sources.size() - 1),
                          .time = kBegin + i * kS,
                          .running = running,
                          .waiting = waiting,
                          .kv_usage = kv});
}

void Queue(ServingData& data, std::int64_t ns) {
  for (Request& request : data.requests) {
    request.queue = ns;
    request.e2e = *request.e2e + ns;
  }
}

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

TEST(Causes, ReplicasThatWaitBesideFreeOnesAreUneven) {
  ServingData data;
  AddLoads(data, 8, 4, 0.3, "a");
  AddLoads(data, 2, 0, 0.1, "b");
  // The queue at one is the router's, and no finding of its own.
  EXPECT_THAT(IdsCauses(Find(std::move(data))), ElementsAre("replica-imbalance"));
  ServingData even;
  AddLoads(even, 8, 4, 0.3, "a");
  AddLoads(even, 8, 3, 0.3, "b");
  EXPECT_THAT(IdsCauses(Find(std::move(even))), Not(Contains("replica-imbalance")));
}

// A router can't send requests for a model to a server of another: these wait for slots.
TEST(Causes, ReplicasOfOtherModelsAreNotCompared) {
  ServingData data;
  AddLoads(data, 8, 9, 0.3, "a");
  AddLoads(data, 4, 0, 0.3, "b");
  for (Load& load : data.loads) load.model = load.source == 0 ? "qwen" : "llama";
  const Causes causes = Find(data);
  EXPECT_THAT(IdsCauses(causes), ElementsAre("queueing"));
  EXPECT_THAT(causes.unchecked, Contains(HasSubstr("two replicas of one model")));
  // A replica of no known model is compared where there is one model only.
  for (Load& load : data.loads) load.model = load.source == 0 ? "qwen" : "";
  EXPECT_THAT(IdsCauses(Find(data)), ElementsAre("replica-imbalance"));
}

// Those of one model are uneven, those of the other all wait: both are told.
TEST(Causes, AnUnevenModelDoesNotExplainTheQueueOfAnother) {
  ServingData data;
  AddLoads(data, 8, 4, 0.3, "a");
  AddLoads(data, 2, 0, 0.1, "b");
  for (Load& load : data.loads) load.model = "llama";
  AddLoads(data, 8, 9, 0.3, "c", 40);
  for (Load& load : data.loads)
    if (load.model.empty()) load.model = "qwen";
  Causes causes = Find(data);
  EXPECT_THAT(IdsCauses(causes), UnorderedElementsAre("replica-imbalance", "queueing"));
  EXPECT_EQ(causes.uneven_model, "llama");
  // By metrics as well, and not by the queue of the uneven model.
  Analysis analysis = Analyse(data);
  const auto times = [](double queue) {
    return MeanTimes{.total = 2e9, .queue = queue, .requests = 100};
  };
  analysis.models = {{"llama", times(1.5e9)}, {"qwen", times(1e9)}};
  analysis.times = {.total = 2e9, .queue = 1.25e9, .requests = 200};
  causes = FindCauses(analysis);
  ASSERT_THAT(IdsCauses(causes), UnorderedElementsAre("replica-imbalance", "queueing"));
  EXPECT_TRUE(std::ranges::any_of(causes.findings, [](const Finding& one) {
    return one.title.find("requests of qwen wait 1.00 s") != std::string::npos;
  }));
  analysis.models[1].times.queue = 0;
  EXPECT_THAT(IdsCauses(FindCauses(analysis)), ElementsAre("replica-imbalance"));
  for (const Finding& finding : causes.findings) {
    if (finding.id == "replica-imbalance") {
      EXPECT_THAT(finding.title, HasSubstr("of llama"));
    }
  }
}

// 20 requests of one model that wait 1 s of 2, and 80 of another that take 1 s: 20 of 120 s.
TEST(Causes, OfSeveralModelsTheOneThatWaitsIsTold) {
  ServingData data;
  data.sources.push_back({.path = "m.prom", .format = "metrics of vLLM"});
  data.labels = {"model_name=a", "model_name=b"};
  const auto point = [](Metric metric, Part part, std::uint32_t labels, double value) {
    const auto known = std::ranges::find(KnownMetrics(), metric, &KnownMetric::metric);
    return Point{.metric = static_cast<std::uint16_t>(known - KnownMetrics().begin()),
                 .part = part,
                 .labels = labels,
                 .value = value};
  };
  for (std::uint32_t model = 0; model < 2; ++model) {
    for (int i = 0; i < 21; ++i) {
      const double count = i * (model == 0 ? 1 : 4);
      data.scrapes.push_back(
          {.replica = model == 0 ? "x" : "y",
           .time = kBegin + i * kS,
           .points = {point(Metric::kRunning, Part::kValue, model, 8),
                      point(Metric::kWaiting, Part::kValue, model, model == 0 ? 5 : 0),
                      point(Metric::kE2e, Part::kSum, model, count * (model == 0 ? 2e9 : 1e9)),
                      point(Metric::kE2e, Part::kCount, model, count),
                      point(Metric::kQueue, Part::kSum, model, model == 0 ? count * 1e9 : 0),
                      point(Metric::kQueue, Part::kCount, model, count)}});
    }
  }
  const Causes causes = Find(std::move(data));
  ASSERT_THAT(IdsCauses(causes), ElementsAre("queueing"));
  EXPECT_THAT(causes.findings[0].title,
              HasSubstr("All 8 slots are taken: requests of a wait 1.00 s on average, 50.0%"));
  EXPECT_NEAR(*causes.findings[0].lost_pct, 100.0 * 20 / 120, 1e-6);
}

// Ten requests of 2 s: 0.5 to the first token, of which 0.3 in the queue and 0.1 of prefill.
TEST(Analysis, DecodeIsWhatFollowsTheFirstToken) {
  ServingData data;
  data.sources.push_back({.path = "m.prom", .format = "metrics of SGLang"});
  data.labels = {""};
  const auto times_with = [&](double prefills) {
    data.scrapes.clear();
    for (int i = 0; i < 2; ++i) {
      Scrape scrape{.time = kBegin + i * kS};
      for (const auto& [metric, seconds, count] :
           {std::tuple(Metric::kE2e, 2.0, 10.0), std::tuple(Metric::kTtft, 0.5, 10.0),
            std::tuple(Metric::kQueue, 0.3, 10.0), std::tuple(Metric::kPrefill, 0.1, prefills)}) {
        const auto known = std::ranges::find(KnownMetrics(), metric, &KnownMetric::metric);
        const auto index = static_cast<std::uint16_t>(known - KnownMetrics().begin());
        scrape.points.push_back(
            {.metric = index, .part = Part::kSum, .value = i * seconds * count * 1e9});
        scrape.points.push_back({.metric = index, .part = Part::kCount, .value = i * count});
      }
      data.scrapes.push_back(std::move(scrape));
    }
    return Analyse(data).times;
  };
  const MeanTimes times = times_with(10);
  EXPECT_NEAR(*times.prefill, 0.1e9, 1);
  EXPECT_NEAR(*times.decode, 1.5e9, 1);
  EXPECT_NEAR(*times.frontend, 0.1e9, 1);
  // Pieces of prompts.
  EXPECT_FALSE(times_with(30).prefill);
  EXPECT_FALSE(times_with(30).frontend);
}

// Each server has its own settings, and Ray Serve no KV cache.
TEST(Causes, AdviceIsInTheWordsOfTheServer) {
  const auto finding_of = [](const std::string& server, double least_running) {
    ServingData data;
    AddLoads(data, 8, 5, {}, "a");
    for (int i = 0; i < 20; i += 2) data.loads[static_cast<std::size_t>(i)].running = least_running;
    Analysis analysis = Analyse(std::move(data));
    analysis.replicas.push_back({.server = server});
    const Causes causes = FindCauses(analysis);
    EXPECT_THAT(IdsCauses(causes), ElementsAre("queueing"));
    return causes.findings.at(0);
  };
  const auto text_of = [](const Finding& one) {
    return one.title + "\n" + one.evidence + "\n" + one.change + "\n" + one.no_gain;
  };
  EXPECT_THAT(text_of(finding_of("vLLM", 8)),
              AllOf(HasSubstr("(--max-num-seqs) beyond 8"), HasSubstr("-iteration-details")));
  const std::string ray = text_of(finding_of("Ray Serve", 8));
  EXPECT_THAT(ray, AllOf(HasSubstr("No more than 8 requests run at once"),
                         HasSubstr("max_ongoing_requests"), HasSubstr("num_replicas"),
                         Not(HasSubstr("KV cache")), Not(HasSubstr("--"))));
  EXPECT_THAT(text_of(finding_of("Ray Serve", 2)), Not(HasSubstr("KV cache")));
  const std::string llama = text_of(finding_of("llama.cpp", 8));
  EXPECT_THAT(llama, AllOf(HasSubstr("(--parallel, -np) beyond 8"), HasSubstr("--cont-batching"),
                           HasSubstr("not read from llama.cpp"),
                           Not(HasSubstr("--enable-logging-iteration-details"))));
  EXPECT_THAT(text_of(finding_of("llama.cpp", 2)), HasSubstr("(--metrics)"));
  EXPECT_THAT(text_of(finding_of("", 8)), HasSubstr("--max-num-seqs, --max-running-requests"));
}

TEST(Causes, FrontendsAndCachesOfOtherServersHaveOtherSettings) {
  ServingData data = Healthy();
  data.requests[0].prefill = 20 * kS;
  data.requests[0].e2e = *data.requests[0].e2e + 20 * kS;
  EXPECT_THAT(Find(data).findings.at(0).change, HasSubstr("VLLM_CACHE_ROOT"));
  data.sources[0].format = "SGLang's request log";
  EXPECT_THAT(Find(data).findings.at(0).change, Not(HasSubstr("VLLM_CACHE_ROOT")));
  EXPECT_THAT(MoreFrontend("SGLang"), HasSubstr("--tokenizer-worker-num"));
  EXPECT_THAT(MoreFrontend("TGI"), Not(HasSubstr("--")));
}

// Four samples, for want of time.
TEST(Causes, ALoadThatIsTooShortIsToLastLonger) {
  ServingData data = Healthy();
  Queue(data, kS);
  AddLoads(data, 8, 5, 0.3, "", 4);
  EXPECT_THAT(Find(data).findings.at(0).change, HasSubstr("Record /metrics"));
  data.levels.push_back({.begin = kBegin, .sending = 4 * kS});
  EXPECT_THAT(Find(data).findings.at(0).change, HasSubstr("--duration"));
}

// A scrape at the begin and one 60 s later.
Causes OfTriton(const std::map<std::string, ModelCounts>& models) {
  ServingData data;
  data.sources.push_back({.path = "m.prom", .format = "metrics of Triton"});
  for (int i = 0; i < 2; ++i) {
    Scrape scrape{.time = kBegin + i * 60 * kS};
    std::uint32_t labels = 0;
    for (const auto& [model, counts] : models) {
      if (i == 0) data.labels.push_back("model=" + model);
      for (const auto& [metric, value] : {std::pair(Metric::kFinished, counts.finished),
                                          {Metric::kInferences, counts.inferences},
                                          {Metric::kExecutions, counts.executions},
                                          {Metric::kRequestTime, counts.request_ns},
                                          {Metric::kQueueTime, counts.queue_ns},
                                          {Metric::kInferTime, counts.infer_ns}}) {
        const auto known = std::ranges::find_if(KnownMetrics(), [&, of = metric](const auto& one) {
          return one.metric == of && one.server == "Triton";
        });
        scrape.points.push_back(
            {.metric = static_cast<std::uint16_t>(known - KnownMetrics().begin()),
             .labels = labels,
             .value = i * value});
      }
      ++labels;
    }
    data.scrapes.push_back(std::move(scrape));
  }
  return Find(std::move(data));
}

// The model that waits has batches of 10; those of the other are of one, and wait for nothing.
TEST(Causes, TritonsModelThatWaitsIsJudgedByItsOwnBatches) {
  const ModelCounts small = {.finished = 30000,
                             .inferences = 30000,
                             .executions = 30000,
                             .request_ns = 30e9,
                             .queue_ns = 0.3e9,
                             .infer_ns = 29.7e9};
  ModelCounts big = {.finished = 3000,
                     .inferences = 3000,
                     .executions = 300,
                     .request_ns = 1500e9,
                     .queue_ns = 1000e9,
                     .infer_ns = 500e9};
  const Causes causes = OfTriton({{"big", big}, {"small", small}});
  ASSERT_THAT(IdsCauses(causes), ElementsAre("queueing"));
  EXPECT_THAT(causes.findings[0].title, HasSubstr("requests of big wait 333 ms"));
  // 500 s for ten requests each, within 60 s.
  EXPECT_THAT(causes.findings[0].evidence, HasSubstr("serves 10.00 requests; 0.83 executions"));
  EXPECT_THAT(causes.findings[0].change, HasSubstr("instance_group count"));
  EXPECT_NEAR(*causes.findings[0].lost_pct, 100.0 * 1000 / 1530, 1e-6);
  // It executes one by one: these could share executions.
  big.executions = 3000;
  big.infer_ns = 50e9;
  EXPECT_THAT(IdsCauses(OfTriton({{"big", big}, {"small", small}})), ElementsAre("small-batches"));
  // Eight at once: a backend that batches in flight, or instances.
  big.infer_ns = 500e9;
  EXPECT_THAT(IdsCauses(OfTriton({{"big", big}, {"small", small}})), ElementsAre("queueing"));
  big.queue_ns = 0;
  EXPECT_THAT(IdsCauses(OfTriton({{"big", big}, {"small", small}})), IsEmpty());
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
