#include "sim/server/live_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "sim/server/server_metrics.h"

namespace rankscope::sim {
namespace {

using testing::HasSubstr;

constexpr LiveOptions kFast{.time_scale = 1000};

CostShape TinyLiveEngine() { return CostShapeOf("tiny").value(); }

class Counting final : public TokenSink {
 public:
  void OnToken() override {
    ++tokens_;
    first_.set_value_once();
  }
  void OnEnd(const RequestRecord& record) override { end_.set_value(record); }
  void AwaitFirst() { first_.future.wait(); }
  RequestRecord AwaitEnd() { return end_.get_future().get(); }
  int tokens() const { return tokens_; }

 private:
  struct Once : std::promise<void> {
    std::shared_future<void> future = get_future().share();
    bool is_set = false;
    void set_value_once() {
      if (!std::exchange(is_set, true)) set_value();
    }
  };
  Once first_;
  std::promise<RequestRecord> end_;
  std::atomic<int> tokens_ = 0;
};

TEST(LiveEngine, EverySinkGetsItsTokensAndThenItsEnd) {
  const auto engine = LiveEngine::Start(TinyLiveEngine(), {}, {}, kFast, {}).value();
  std::vector<std::shared_ptr<Counting>> sinks;
  for (int i = 0; i < 50; ++i) {
    sinks.push_back(std::make_shared<Counting>());
    ASSERT_TRUE(engine->Submit({.prompt_tokens = 20, .output_tokens = i + 1}, sinks.back()).ok());
  }
  for (int i = 0; i < 50; ++i) {
    const RequestRecord record = sinks[static_cast<std::size_t>(i)]->AwaitEnd();
    EXPECT_EQ(record.output_tokens, i + 1);
    EXPECT_EQ(sinks[static_cast<std::size_t>(i)]->tokens(), i + 1);
    EXPECT_GE(record.first_token_ns, record.arrival_ns);
  }
  EXPECT_EQ(engine->gauges().running, 0);
  EXPECT_EQ(engine->gauges().kv_usage, 0);
}

// The clock of the simulation is the real one: a request of 100 steps takes what they take.
TEST(LiveEngine, TakesAtLeastTheSimulatedTime) {
  const auto engine =
      LiveEngine::Start(TinyLiveEngine(), {}, {.sigma = 0}, {.time_scale = 10}, {}).value();
  const auto sink = std::make_shared<Counting>();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(engine->Submit({.prompt_tokens = 1, .output_tokens = 100}, sink).ok());
  const RequestRecord record = sink->AwaitEnd();
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(record.end_ns - record.arrival_ns, 70'000'000);
  EXPECT_GE(took, std::chrono::nanoseconds((record.end_ns - record.arrival_ns) / 10));
}

TEST(LiveEngine, AnAbortedRequestEndsAndFreesItsBlocks) {
  std::atomic<int> aborts = 0;
  EngineHooks hooks;
  hooks.on_abort = [&aborts](const RequestRecord&) { ++aborts; };
  const auto engine = LiveEngine::Start(TinyLiveEngine(), {}, {}, {}, std::move(hooks)).value();
  const auto sink = std::make_shared<Counting>();
  const auto id = engine->Submit({.prompt_tokens = 1, .output_tokens = 2000}, sink);
  sink->AwaitFirst();
  engine->Abort(*id);
  EXPECT_TRUE(sink->AwaitEnd().is_aborted);
  EXPECT_EQ(aborts, 1);
  EXPECT_EQ(engine->gauges().running, 0);
  EXPECT_EQ(engine->gauges().kv_usage, 0);
  engine->Abort(*id);
}

TEST(LiveEngine, AFullQueueRefuses) {
  const auto engine = LiveEngine::Start(TinyLiveEngine(), {.max_num_seqs = 1}, {},
                                        {.time_scale = 0.01, .queue_limit = 2}, {})
                          .value();
  const auto sink = std::make_shared<Counting>();
  int taken = 0;
  Status refused;
  for (int i = 0; i < 10 && refused.ok(); ++i) {
    refused = engine->Submit({.output_tokens = 1000}, sink).status();
    taken += refused.ok();
  }
  EXPECT_EQ(refused.code(), StatusCode::kResource);
  EXPECT_THAT(taken, testing::AnyOf(2, 3));
}

TEST(LiveEngine, TellsThatItIsOutOfMemory) {
  CostShape shape = TinyLiveEngine();
  shape.driver_bytes = 0.5e9;
  std::promise<void> death;
  EngineHooks hooks;
  hooks.on_death = [&death] { death.set_value(); };
  const auto engine = LiveEngine::Start(shape, {}, {}, kFast, std::move(hooks)).value();
  ASSERT_TRUE(engine->Submit({}, std::make_shared<Counting>()).ok());
  death.get_future().wait();
}

TEST(ServerMetrics, CountsWhatStepsHaveBroughtByTheClockOfItsUsers) {
  ServerMetrics metrics("a\"b", 100, 10, 5);
  metrics.OnStep({}, {.tokens = {{.is_first = true,
                                  .since_ns = 2'000'000'000,
                                  .prompt_tokens = 30,
                                  .cached_tokens = 16},
                                 {.since_ns = 300'000'000}},
                      .ended = {{.prompt_tokens = 30,
                                 .output_tokens = 4,
                                 .arrival_ns = 0,
                                 .scheduled_ns = 1'000'000'000,
                                 .first_token_ns = 2'000'000'000,
                                 .end_ns = 5'000'000'000}}});
  metrics.OnAbort({});
  const std::string text = metrics.Text({.running = 3, .kv_usage = 0.25}, 99, {});
  const std::string labels = R"({engine="0",model_name="a\"b")";
  for (const char* line :
       {"vllm:num_requests_running@} 3", "vllm:kv_cache_usage_perc@} 0.25",
        "vllm:prompt_tokens_total@} 30", "vllm:prompt_tokens_cached_total@} 16",
        "vllm:generation_tokens_total@} 2",
        R"(vllm:request_success_total@,finished_reason="length"} 1)",
        R"(vllm:request_success_total@,finished_reason="abort"} 1)",
        "vllm:time_to_first_token_seconds_sum@} 0.2",
        R"(vllm:time_to_first_token_seconds_bucket@,le="0.1"} 0)",
        R"(vllm:time_to_first_token_seconds_bucket@,le="0.25"} 1)",
        R"(vllm:inter_token_latency_seconds_bucket@,le="0.025"} 0)",
        R"(vllm:inter_token_latency_seconds_bucket@,le="+Inf"} 1)",
        "vllm:request_queue_time_seconds_sum@} 0.1", "vllm:request_decode_time_seconds_sum@} 0.3",
        R"(vllm:request_prompt_tokens_bucket@,le="20"} 0)",
        R"(vllm:request_prompt_tokens_bucket@,le="50"} 1)",
        R"(vllm:iteration_tokens_total_bucket@,le="32"} 1)"}) {
    std::string expected = line;
    expected.replace(expected.find('@'), 1, labels);
    EXPECT_THAT(text, HasSubstr("\n" + expected + "\n"));
  }
}

}  // namespace
}  // namespace rankscope::sim
