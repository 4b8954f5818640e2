// Causes of several replicas and models, and in the words of each kind of server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "serving/causes/healthy_server_for_test.h"
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

}  // namespace
}  // namespace rankscope::serving
