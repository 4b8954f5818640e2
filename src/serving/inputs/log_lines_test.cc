#include "serving/inputs/log_lines.h"

#include <gtest/gtest.h>

#include "base/units_for_test.h"

namespace rankscope::serving {
namespace {

TEST(LogLines, IterationsOfVllm) {
  const auto one = ParseIteration(
      "INFO 11-24 16:00:00 [core.py:9] Iteration(17): 2 context requests, 14721 context tokens, 62 "
      "generation requests, 63 generation tokens, iteration elapsed time: 212.40 ms (dummy)");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->number, 17);
  EXPECT_EQ(one->context_requests, 2);
  EXPECT_EQ(one->context_tokens, 14721);
  EXPECT_EQ(one->generation_requests, 62);
  EXPECT_EQ(one->generation_tokens, 63);
  EXPECT_EQ(one->elapsed_ns, 212'400'000);
  EXPECT_TRUE(one->is_dummy);
  EXPECT_FALSE(ParseIteration("Iteration(17): 2 context requests, 14721 context"));
}

TEST(LogLines, LoadsOfVllm) {
  const auto load = ParseLoad(
      "INFO Engine 001: Avg prompt throughput: 10.5 tokens/s, Avg generation throughput: 62.0 "
      "tokens/s, Running: 3 reqs, Waiting: 7 reqs, GPU KV cache usage: 50.5%, Prefix cache hit "
      "rate: "
      "12.0%");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->replica, "engine 001");
  EXPECT_EQ(load->running, 3);
  EXPECT_EQ(load->waiting, 7);
  EXPECT_DOUBLE_EQ(*load->kv_usage, 0.505);
  EXPECT_DOUBLE_EQ(*load->prefix_hit_rate, 0.12);
  EXPECT_EQ(load->generation_tokens_per_s, 62);
  // No cache is fuller than full.
  EXPECT_FALSE(ParseLoad("Avg prompt throughput: 1 tokens/s, Running: 3 reqs, GPU KV cache usage: "
                         "750.0%")
                   ->kv_usage);
}

TEST(LogLines, BatchesOfSglang) {
  auto load = ParseSglangLoad(
      "[2026-11-27 02:43:00 DP3 TP0] Decode batch. #running-req: 16, #token: 4000, token usage: "
      "0.35, cuda graph: True, gen throughput (token/s): 812.33, #queue-req: 9, ");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->replica, "engine 3");
  EXPECT_EQ(load->running, 16);
  EXPECT_EQ(load->waiting, 9);
  EXPECT_EQ(load->kv_usage, 0.35);
  EXPECT_EQ(load->generation_tokens_per_s, 812.33);
  load = ParseSglangLoad(
      "[2026-11-27 02:43:00] Prefill batch. #new-seq: 2, #new-token: 300, #cached-token: 100, "
      "token usage: 0.36, #running-req: 14, #queue-req: 0");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->replica, "");
  EXPECT_EQ(load->running, 16);
  EXPECT_EQ(load->waiting, 0);
  EXPECT_EQ(load->prefix_hit_rate, 0.25);
  EXPECT_FALSE(load->generation_tokens_per_s);
  EXPECT_FALSE(ParseSglangLoad("Decode batch. #running-req: 16, #token: 40"));
}

TEST(LogLines, IterationsOfTensorRtLlm) {
  const std::string line =
      "[11/27/2026-02:43:00] [TRT-LLM] [RANK 0] [I] iter = 7, global_rank = 0, rank = 0, "
      "currank_total_requests = 0/0, host_step_time = 20.1ms, prev_device_step_time = 19.8ms, "
      "timestamp = 2025-11-24 16:00:00, num_scheduled_requests: 33, states = {'num_ctx_requests': "
      "1, 'num_ctx_tokens': 512, 'num_generation_tokens': 32}";
  const auto one = ParseTrtLlmIteration(line);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->number, 7);
  EXPECT_EQ(one->context_requests, 1);
  EXPECT_EQ(one->context_tokens, 512);
  EXPECT_EQ(one->generation_requests, 32);
  EXPECT_EQ(one->generation_tokens, 32);
  EXPECT_EQ(one->elapsed_ns, 20'100'000);
  EXPECT_EQ(one->time, 1'764'000'000'000'000'000);
  std::string copy = line;
  copy.replace(copy.find("global_rank = 0"), 15, "global_rank = 1");
  EXPECT_FALSE(ParseTrtLlmIteration(copy));
}

TEST(LogLines, NginxSaysItsTimeByNameOrAtTheEnd) {
  const auto named = ParseAccess(
      R"(1.2.3.4 - - [24/Nov/2025:16:00:10 +0000] "POST /v1/completions HTTP/1.1" 200 51 "-" "curl" request_time=2.500 upstream_response_time="1.0, 1.250")");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->e2e, 2500 * kMs);
  EXPECT_EQ(named->upstream, 2250 * kMs);
  // The line is written at the end.
  EXPECT_EQ(named->arrival, 1'764'000'007'500'000'000);
  const auto last =
      ParseAccess(R"(- [24/Nov/2025:16:00:10 +0000] "GET /a HTTP/1.1" 503 5 "-" "x" 0.250 -)");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->e2e, 250 * kMs);
  EXPECT_FALSE(last->upstream);
  EXPECT_EQ(last->outcome, Outcome::kFailed);
}

TEST(LogLines, EnvoyWritesMilliseconds) {
  const auto one = ParseAccess(
      R"([2025-11-24T16:00:00.000Z] "POST /v1/chat/completions HTTP/2" 200 - 154 9 226 100 "10.0.0.1" "curl" "id-7" "host" "10.0.0.2:80")");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->e2e, 226 * kMs);
  EXPECT_FALSE(one->upstream) << "100 ms to the response's headers";
  EXPECT_EQ(one->id, "id-7");
  EXPECT_EQ(one->arrival, 1'764'000'000'000'000'000);
}

TEST(LogLines, UvicornHasNoDuration) {
  const auto one =
      ParseAccess(R"(INFO:     127.0.0.1:5000 - "POST /v1/completions HTTP/1.1" 200 OK)");
  ASSERT_TRUE(one);
  EXPECT_FALSE(one->e2e);
  EXPECT_FALSE(ParseAccess("POST /v1/completions"));
}

TEST(LogLines, AYearThatIsMissingIsThatOfTheFile) {
  const std::int64_t about = 1'764'000'100'000'000'000;
  EXPECT_EQ(TimeOfLine("INFO 11-24 16:00:00 [core.py:1] x", about), 1'764'000'000'000'000'000);
  // A December in a file of January is of the year before.
  EXPECT_EQ(TimeOfLine("INFO 12-31 23:59:59 x", 1'767'225'700'000'000'000),
            1'767'225'599'000'000'000);
  EXPECT_EQ(TimeOfLine("2025-11-24 16:00:00,123 x", {}), 1'764'000'000'123'000'000);
  EXPECT_EQ(TimeOfLine("no time", about), std::nullopt);
}

}  // namespace
}  // namespace rankscope::serving
