#include <fmt/core.h>

#include "serving/metrics/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "serving/inputs/read_file.h"

namespace rankscope::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct File {
  std::string path, text;
};

ServingData Read(const std::vector<File>& files) {
  Collection collection;
  for (const File& file : files) {
    const Status status =
        ReadServingFile({.path = file.path, .text = file.text, .modified = 1}, collection);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  return std::move(collection.data);
}

std::string AtSeries(int second, const std::string& lines) {
  return "# scraped_at " + std::to_string(1'764'000'000 + second) + "\n" + lines;
}

// 10, 25, then the server began anew and has 4: gained 15 and 4.
TEST(Series, CountersThatFallWereReset) {
  ServingData data = Read({{"m", AtSeries(0, "vllm:generation_tokens_total 10\n") +
                                     AtSeries(1, "vllm:generation_tokens_total 25\n") +
                                     AtSeries(2, "vllm:generation_tokens_total 4\n")}});
  const auto series = SeriesOf(data);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].Gained(Metric::kGenerationTokens), 19);
  EXPECT_EQ(series[0].resets, 1);
  EXPECT_EQ(series[0].Duration(), 2'000'000'000);
  EXPECT_THAT(data.notes.back(), HasSubstr("began anew 1 time"));
  EXPECT_EQ(series[0].Gained(Metric::kFinished), std::nullopt);
}

// 10 before, 20 after a restart that no fall shows: 20 more.
TEST(Series, AProcessThatBeganLaterCountsFromZero) {
  const auto scrape = [](int start, int tokens) {
    return fmt::format(
        "process_start_time_seconds {}.5\nvllm:generation_tokens_total {}\n"
        "vllm:e2e_request_latency_seconds_sum {}\nvllm:e2e_request_latency_seconds_count {}\n",
        start, tokens, tokens, tokens / 10);
  };
  ServingData data =
      Read({{"m", AtSeries(0, scrape(1'763'000'000, 10)) + AtSeries(30, scrape(1'764'000'020, 20)) +
                      AtSeries(31, scrape(1'764'000'020, 30))}});
  const auto series = SeriesOf(data);
  EXPECT_EQ(series[0].Gained(Metric::kGenerationTokens), 30);
  EXPECT_EQ(series[0].Gains(Metric::kE2e)->count, 3);
  EXPECT_EQ(series[0].resets, 1);
}

// NaN is not 0: neither what is gained from it nor to it.
TEST(Series, SumsThatAreNoNumberAreUnknown) {
  ServingData data = Read(
      {{"m", AtSeries(0,
                      "vllm:e2e_request_latency_seconds_sum NaN\n"
                      "vllm:e2e_request_latency_seconds_count 0\n"
                      "vllm:generation_tokens_total NaN\nvllm:prompt_tokens_total 1\n") +
                 AtSeries(1,
                          "vllm:e2e_request_latency_seconds_sum 8\n"
                          "vllm:e2e_request_latency_seconds_count 2\n"
                          "vllm:generation_tokens_total 7\nvllm:prompt_tokens_total NaN\n") +
                 AtSeries(2, "vllm:generation_tokens_total 9\nvllm:prompt_tokens_total 4\n")}});
  const auto series = SeriesOf(data);
  EXPECT_EQ(series[0].Gains(Metric::kE2e)->count, 2);
  EXPECT_EQ(series[0].Gains(Metric::kE2e)->Mean(), std::nullopt);
  EXPECT_EQ(series[0].Gained(Metric::kGenerationTokens), 2);
  EXPECT_EQ(series[0].Gained(Metric::kPromptTokens), 3);  // over the gap
  data = Read({{"m", AtSeries(0, "vllm:e2e_request_latency_seconds_count 1\n") +
                         AtSeries(1, "vllm:e2e_request_latency_seconds_count 2\n")}});
  EXPECT_EQ(SeriesOf(data)[0].Gains(Metric::kE2e)->Mean(), std::nullopt);
}

// Between both scrapes 4 requests: 1 up to 0.3 s, 2 up to 1 s, 1 beyond; 6 s in all.
TEST(Series, HistogramsGainAndBoundTheirQuantiles) {
  const auto scrape = [](int a, int b, int c, double sum) {
    return fmt::format(
        "vllm:request_queue_time_seconds_bucket{{le=\"0.3\"}} {}\n"
        "vllm:request_queue_time_seconds_bucket{{le=\"1.0\"}} {}\n"
        "vllm:request_queue_time_seconds_bucket{{le=\"+Inf\"}} {}\n"
        "vllm:request_queue_time_seconds_sum {}\nvllm:request_queue_time_seconds_count {}\n",
        a, b, c, sum, c);
  };
  ServingData data =
      Read({{"m", AtSeries(0, scrape(5, 5, 5, 1)) + AtSeries(1, scrape(6, 8, 9, 7))}});
  const auto gains = SeriesOf(data)[0].Gains(Metric::kQueue);
  ASSERT_TRUE(gains);
  EXPECT_EQ(gains->count, 4);
  EXPECT_EQ(gains->Mean(), 1.5e9);
  EXPECT_EQ(gains->Quantile(0.25)->most, 0.3e9);
  EXPECT_EQ(gains->Quantile(0.5)->least, 0.3e9);
  EXPECT_EQ(gains->Quantile(0.5)->most, 1e9);
  EXPECT_EQ(gains->Quantile(0.99)->least, 1e9);
  EXPECT_TRUE(std::isinf(gains->Quantile(0.99)->most));
}

// Bounds that differ do not add; sums and counts do.
TEST(Series, HistogramsOfOtherBoundsHaveNoQuantiles) {
  const std::string tail =
      "vllm:request_queue_time_seconds_sum 2\nvllm:request_queue_time_seconds_count 2\n";
  ServingData data = Read(
      {{"m",
        AtSeries(
            0,
            "vllm:request_queue_time_seconds_bucket{le=\"1\"} 0\n"
            "vllm:request_queue_time_seconds_sum 0\nvllm:request_queue_time_seconds_count 0\n") +
            AtSeries(1, "vllm:request_queue_time_seconds_bucket{le=\"2\"} 2\n" + tail)}});
  const auto gains = SeriesOf(data)[0].Gains(Metric::kQueue);
  EXPECT_EQ(gains->Quantile(0.5), std::nullopt);
  EXPECT_EQ(gains->Mean(), 1e9);
}

// Every tensor rank exports its copy; data-parallel ranks are engines of their own.
TEST(Series, TensorRanksCountOnceAndDataParallelOnesEach) {
  std::string text;
  for (int dp = 0; dp < 2; ++dp)
    for (int tp = 0; tp < 4; ++tp)
      text += fmt::format("sglang:num_queue_reqs{{tp_rank=\"{}\",dp_rank=\"{}\"}} {}\n", tp, dp,
                          5 + dp);
  ServingData data = Read({{"m", AtSeries(0, text)}});
  const auto series = SeriesOf(data);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].replica, "m engine 0");
  EXPECT_EQ(series[0].moments[0].gauges[static_cast<std::size_t>(Metric::kWaiting)], 5);
  EXPECT_EQ(series[1].moments[0].gauges[static_cast<std::size_t>(Metric::kWaiting)], 6);
  EXPECT_EQ(series[0].server, "SGLang");
}

// With attention in data parallel the tensor ranks go on over the engines.
TEST(Series, TheFirstTensorRankIsThatOfItsEngine) {
  ServingData data =
      Read({{"m", AtSeries(0,
                           "sglang:num_queue_reqs{tp_rank=\"0\",dp_rank=\"0\"} 5\n"
                           "sglang:num_queue_reqs{tp_rank=\"1\",dp_rank=\"0\"} 5\n"
                           "sglang:num_queue_reqs{tp_rank=\"2\",dp_rank=\"1\"} 6\n"
                           "sglang:num_queue_reqs{tp_rank=\"3\",dp_rank=\"1\"} 6\n")}});
  const auto series = SeriesOf(data);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[1].moments[0].gauges[static_cast<std::size_t>(Metric::kWaiting)], 6);
}

// Each has its slots and its cache. What tells no engine counts once, the process' start for all.
TEST(Series, EnginesOfOneServerAreSeriesOfTheirOwn) {
  const auto scrape = [](int tokens) {
    return fmt::format(
        "process_start_time_seconds 1763000000\n"
        "vllm:num_requests_running{{engine=\"0\"}} 30\nvllm:num_requests_running{{engine=\"1\"}} "
        "2\n"
        "vllm:generation_tokens_total{{engine=\"0\"}} {0}\n"
        "vllm:generation_tokens_total{{engine=\"1\"}} {0}0\n"
        "vllm:prompt_tokens_total {0}\n",
        tokens);
  };
  ServingData data = Read({{"m", AtSeries(0, scrape(1)) + AtSeries(1, scrape(3))}});
  const auto series = SeriesOf(data);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].replica, "m engine 0");
  EXPECT_EQ(series[1].replica, "m engine 1");
  const auto gauge = [&](int engine, Metric metric) {
    return series[static_cast<std::size_t>(engine)]
        .moments[0]
        .gauges[static_cast<std::size_t>(metric)];
  };
  EXPECT_EQ(gauge(0, Metric::kRunning), 30);
  EXPECT_EQ(gauge(1, Metric::kRunning), 2);
  EXPECT_EQ(gauge(1, Metric::kProcessStart), 1763000000e9);
  EXPECT_EQ(series[0].Gained(Metric::kGenerationTokens), 2);
  EXPECT_EQ(series[1].Gained(Metric::kGenerationTokens), 20);
  EXPECT_EQ(series[0].Gained(Metric::kPromptTokens), 2);
  EXPECT_EQ(series[1].Gained(Metric::kPromptTokens), std::nullopt);
}

// Ten requests of 1 s of one model and five of 10 s of the other: 15, 4 s each.
TEST(Series, ModelsOfOneEndpointAddUp) {
  const auto scrape = [](int a, int b) {
    return fmt::format(
        "vllm:num_requests_running{{model_name=\"a\"}} 2\n"
        "vllm:num_requests_running{{model_name=\"b\"}} 10\n"
        "vllm:e2e_request_latency_seconds_sum{{model_name=\"a\"}} {0}\n"
        "vllm:e2e_request_latency_seconds_sum{{model_name=\"b\"}} {1}0\n"
        "vllm:e2e_request_latency_seconds_count{{model_name=\"a\"}} {0}\n"
        "vllm:e2e_request_latency_seconds_count{{model_name=\"b\"}} {1}\n",
        a, b);
  };
  ServingData data = Read({{"m", AtSeries(0, scrape(7, 3)) + AtSeries(1, scrape(17, 8))}});
  const auto series = SeriesOf(data);
  ASSERT_EQ(series.size(), 1u);
  ASSERT_EQ(series[0].moments.size(), 2u);
  EXPECT_EQ(series[0].moments[0].gauges[static_cast<std::size_t>(Metric::kRunning)], 12);
  EXPECT_EQ(series[0].Gains(Metric::kE2e)->count, 15);
  EXPECT_EQ(series[0].Gains(Metric::kE2e)->Mean(), 4e9);
}

// Triton counts by model: 10 requests of a in 5 executions, 4 of b; those before do not count.
TEST(Series, TritonCountsByModel) {
  const auto scrape = [](int a, int b) {
    return fmt::format(
        "nv_inference_request_success{{model=\"a\",version=\"1\"}} {0}\n"
        "nv_inference_request_success{{model=\"b\",version=\"1\"}} {2}\n"
        "nv_inference_count{{model=\"a\",version=\"1\"}} {0}\n"
        "nv_inference_count{{model=\"b\",version=\"1\"}} {2}\n"
        "nv_inference_exec_count{{model=\"a\",version=\"1\"}} {1}\n"
        "nv_inference_queue_duration_us{{model=\"b\",version=\"1\"}} {2}000\n",
        a, a / 2, b);
  };
  ServingData data = Read({{"m", AtSeries(0, scrape(100, 7)) + AtSeries(1, scrape(110, 11))}});
  const auto series = SeriesOf(data);
  ASSERT_EQ(series.size(), 1u);
  const auto& models = series[0].models;
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models.at("a").finished, 10);
  EXPECT_EQ(models.at("a").executions, 5);
  EXPECT_EQ(models.at("b").finished, 4);
  EXPECT_EQ(models.at("b").queue_ns, 4e6);
  // Summed before.
  data = Read({{"m", AtSeries(0, "nv_inference_request_success 1\nnv_inference_count 1\n") +
                         AtSeries(1, "nv_inference_request_success 4\nnv_inference_count 4\n")}});
  EXPECT_EQ(SeriesOf(data)[0].models.at("").finished, 3);
}

// Both servers count the ten requests: 3 s at decode, of which 0.7 at prefill.
TEST(Series, RequestsOfPrefillAndDecodeCountOnce) {
  const auto scrape = [](int requests) {
    std::string text;
    for (const auto& [role, ms, tokens] :
         {std::tuple("prefill", 700, 1), std::tuple("decode", 3000, 50)}) {
      const std::string labels = fmt::format("{{model_name=\"m\",engine_type=\"{}\"}}", role);
      text += fmt::format(
          "sglang:num_queue_reqs{0} {1}\nsglang:num_requests_total{0} {2}\n"
          "sglang:generation_tokens_total{0} {3}\nsglang:prompt_tokens_total{0} {4}\n"
          "sglang:e2e_request_latency_seconds_sum{0} {5}\n"
          "sglang:e2e_request_latency_seconds_count{0} {2}\n",
          labels, ms / 1000, requests, requests * tokens, requests * 100, requests * ms / 1000.0);
    }
    return text;
  };
  ServingData data = Read({{"m", AtSeries(0, scrape(5)) + AtSeries(1, scrape(15))}});
  const auto series = SeriesOf(data);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].replica, "m decode");
  EXPECT_EQ(series[0].role, "decode");
  EXPECT_EQ(series[0].Gained(Metric::kFinished), 10);
  EXPECT_EQ(series[0].Gains(Metric::kE2e)->Mean(), 3e9);
  EXPECT_EQ(series[0].Gained(Metric::kPromptTokens), std::nullopt);
  EXPECT_EQ(series[1].replica, "m prefill");
  EXPECT_EQ(series[1].Gained(Metric::kFinished), std::nullopt);
  EXPECT_EQ(series[1].Gained(Metric::kPromptTokens), 1000);
  EXPECT_THAT(data.notes.back(), HasSubstr("not again at 1 that prefills"));
  // Alone it counts.
  data = Read({{"m", AtSeries(0, "sglang:num_requests_total{engine_type=\"prefill\"} 5\n") +
                         AtSeries(1, "sglang:num_requests_total{engine_type=\"prefill\"} 9\n")}});
  EXPECT_EQ(SeriesOf(data)[0].Gained(Metric::kFinished), 4);
}

// Of one histogram for all stages; those that are not known are left out.
TEST(Series, StagesOfSglangAreMetricsEach) {
  const auto scrape = [](int requests) {
    std::string text;
    for (const auto& [stage, ms] :
         {std::pair("prefill_forward", 100), std::pair("decode_forward", 1400),
          std::pair("request_process", 2)})
      text += fmt::format(
          "sglang:per_stage_req_latency_seconds_sum{{stage=\"{0}\"}} {1}\n"
          "sglang:per_stage_req_latency_seconds_count{{stage=\"{0}\"}} {2}\n",
          stage, requests * ms / 1000.0, requests);
    return text;
  };
  ServingData data = Read({{"m", AtSeries(0, scrape(10)) + AtSeries(1, scrape(30))}});
  const auto series = SeriesOf(data);
  EXPECT_EQ(series[0].Gains(Metric::kPrefill)->count, 20);
  EXPECT_NEAR(*series[0].Gains(Metric::kPrefill)->Mean(), 0.1e9, 1);
  EXPECT_NEAR(*series[0].Gains(Metric::kDecode)->Mean(), 1.4e9, 1);
  EXPECT_FALSE(series[0].Gains(Metric::kQueue));
}

TEST(Series, OldAndNewNamesOfOneMetricCountOnce) {
  ServingData data =
      Read({{"m", AtSeries(0,
                           "vllm:kv_cache_usage_perc 0.5\nvllm:gpu_cache_usage_perc 0.5\n"
                           "vllm:num_requests_running{model_name=\"a\"} 1\n"
                           "vllm:num_requests_running{model_name=\"b\"} 2\n")}});
  const auto series = SeriesOf(data);
  EXPECT_EQ(series[0].moments[0].gauges[static_cast<std::size_t>(Metric::kKvUsage)], 0.5);
  EXPECT_EQ(series[0].moments[0].gauges[static_cast<std::size_t>(Metric::kRunning)], 3);
}

// TensorRT-LLM tells what it runs in parts.
TEST(Series, PartsOfWhatRunsAddUp) {
  ServingData data = Read({{"m", AtSeries(0,
                                          "trtllm_num_context_requests 1\n"
                                          "trtllm_num_generation_requests 4\n") +
                                     AtSeries(1,
                                              "trtllm_num_generation_requests 4\n"
                                              "trtllm_num_scheduled_requests 7\n")}});
  const auto series = SeriesOf(data);
  EXPECT_EQ(series[0].moments[0].gauges[static_cast<std::size_t>(Metric::kRunning)], 5);
  EXPECT_EQ(series[0].moments[1].gauges[static_cast<std::size_t>(Metric::kRunning)], 7);
}

// A deployment's queue and its replicas' are queues one behind the other.
TEST(Series, QueuesOfRayAddUp) {
  ServingData data =
      Read({{"m", AtSeries(0,
                           "ray_serve_deployment_queued_queries{deployment=\"D\"} 5\n"
                           "ray_serve_replica_queued_queries{replica=\"a\"} 1\n"
                           "ray_serve_replica_queued_queries{replica=\"b\"} 2\n")}});
  EXPECT_EQ(SeriesOf(data)[0].moments[0].gauges[static_cast<std::size_t>(Metric::kWaiting)], 8);
}

// llama.cpp's mean is of its life: 2 over 100 decodes, then 3 over 200: 4 over the last 100.
TEST(Series, LifetimeMeansBecomeThoseOfTheWindow) {
  ServingData data = Read(
      {{"m",
        AtSeries(0, "llamacpp:n_busy_slots_per_decode 2\nllamacpp:n_decode_total 100\n") +
            AtSeries(1, "llamacpp:n_busy_slots_per_decode 3\nllamacpp:n_decode_total 200\n")}});
  EXPECT_EQ(SeriesOf(data)[0].moments[1].busy_slots, 4);
}

TEST(Series, FilesOfOneNameAreOneReplica) {
  ServingData data = Read({{"a/m-1764000000.prom", "vllm:num_requests_waiting 1\n"},
                           {"a/m-1764000001.prom", "vllm:num_requests_waiting 2\n"},
                           {"b/m-1764000000.prom", "vllm:num_requests_waiting 3\n"}});
  const auto series = SeriesOf(data);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].replica, "a/m");
  EXPECT_EQ(series[0].moments.size(), 2u);
  EXPECT_EQ(series[1].replica, "b/m");
  EXPECT_TRUE(series[1].is_since_start);
}

// The time goes, the rest of the name stays: digits of hosts are no time.
TEST(Series, NumbersOfReplicasStayInTheirNames) {
  const std::string text = "vllm:num_requests_waiting 1\n";
  ServingData data = Read({{"a/replica0-1764000000.prom", text},
                           {"a/replica0-1764000001.prom", text},
                           {"a/replica1-1764000000.prom", text},
                           {"a/replica1-1764000001.prom", text},
                           {"b/1764000000_gpu7.prom", text},
                           {"b/1764000001_gpu7.prom", text},
                           {"c/h2-1.prom", AtSeries(0, text)},
                           {"c/h2-2.prom", AtSeries(1, text)}});
  const auto series = SeriesOf(data);
  std::vector<std::string> names;
  for (const ReplicaSeries& one : series) {
    names.push_back(one.replica);
    EXPECT_EQ(one.moments.size(), 2u);
  }
  EXPECT_THAT(names, ElementsAre("gpu7", "h2", "replica0", "replica1"));
}

// At one time in two files: two servers, whatever their labels say.
TEST(Series, FilesOfOneTimeAreSeveralReplicas) {
  ServingData data =
      Read({{"a/host1.prom", AtSeries(0, "vllm:num_requests_waiting{engine=\"0\"} 1\n")},
            {"a/host2.prom", AtSeries(0, "vllm:num_requests_waiting{engine=\"0\"} 2\n")}});
  const auto series = SeriesOf(data);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].replica, "host1");
}

TEST(Series, ProcessesThatAlternateAreSeveralReplicas) {
  std::vector<File> files;
  for (int i = 0; i < 4; ++i)
    files.push_back(
        {fmt::format("a/m{}.prom", i),
         AtSeries(i, fmt::format("process_start_time_seconds {}\nvllm:num_requests_waiting 1\n",
                                 1'763'000'000 + i % 2))});
  ServingData data = Read(files);
  EXPECT_EQ(SeriesOf(data).size(), 2u);
  // One after the other they are one that was started again.
  for (int i = 0; i < 4; ++i)
    files[static_cast<std::size_t>(i)].text =
        AtSeries(i, fmt::format("process_start_time_seconds {}\nvllm:num_requests_waiting 1\n",
                                1'763'000'000 + i / 2));
  data = Read(files);
  EXPECT_EQ(SeriesOf(data).size(), 1u);
}

}  // namespace
}  // namespace rankscope::serving
