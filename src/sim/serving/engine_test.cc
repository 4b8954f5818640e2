#include "sim/serving/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/model/jitter.h"
#include "sim/serving/capacity.h"
#include "sim/serving/run_to_end.h"

namespace rankscope::sim {
namespace {

constexpr EngineNoise kQuiet{.sigma = 0};

CostShape LlamaEngine() { return CostShapeOf("llama3-8b-a100").value(); }
CostShape TinyEngine() { return CostShapeOf("tiny").value(); }

// Poisson arrivals, prompts and outputs of many lengths.
std::vector<PlannedRequest> Plan(std::size_t count, double per_s, std::uint64_t seed) {
  std::vector<PlannedRequest> planned;
  double now_s = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t draw = MixAll(seed, i, 1);
    now_s -= std::log((static_cast<double>(draw >> 11) + 1) * 0x1.0p-53) / per_s;
    planned.push_back(
        {.arrival_ns = static_cast<std::int64_t>(now_s * 1e9),
         .spec = {.prompt_tokens = 1 + static_cast<std::int64_t>(Mix(draw) % 900),
                  .output_tokens = 1 + static_cast<std::int64_t>(Mix(draw + 1) % 300)}});
  }
  return planned;
}

// A prompt of 512 tokens alone: 34.6 ms by the table, 3.4 ns * 512 * 256 pairs, 1.5 ms on the host.
// Then a token behind 512: 9.7 ms, 80 ns * 512, 1.5 ms.
TEST(Engine, StepsOfOneRequestTakeWhatTheyTakeByHand) {
  const auto outcome =
      RunToEnd(LlamaEngine(), {}, kQuiet, {{.spec = {.prompt_tokens = 512, .output_tokens = 3}}})
          .value();
  const RequestRecord& record = outcome.requests[0];
  EXPECT_EQ(record.first_token_ns, 36'545'645);
  EXPECT_EQ(record.end_ns - record.first_token_ns, (11'200'000 + 40'960) + (11'200'000 + 41'040));
}

// 2048 + 952 tokens of one prompt: 146 ms + 3.4 * 2048 * 1024, then by the table between 512 and
// 1024 34.6 + 40.4 * 440 / 512 = 69.31875 ms, 3.4 * 952 * (2048 + 476), each with 1.5 ms.
TEST(Engine, APromptInTwoPiecesTakesWhatItTakesByHand) {
  const auto outcome =
      RunToEnd(LlamaEngine(), {}, kQuiet, {{.spec = {.prompt_tokens = 3000, .output_tokens = 1}}})
          .value();
  EXPECT_NEAR(static_cast<double>(outcome.requests[0].end_ns),
              146e6 + 3.4 * 2048 * 1024 + 1.5e6 + 69'318'750 + 3.4 * 952 * 2524 + 1.5e6, 2);
}

// A token and a prompt of 63 in one step: 64 tokens, 11.2 ms, on eager 8 ms more.
TEST(Engine, AMixedStepTakesWhatItTakesByHand) {
  const auto outcome =
      RunToEnd(LlamaEngine(), {.enforces_eager = true}, kQuiet,
               {{.spec = {.prompt_tokens = 1, .output_tokens = 2}},
                {.arrival_ns = 1, .spec = {.prompt_tokens = 63, .output_tokens = 1}}})
          .value();
  const std::int64_t first = outcome.requests[0].first_token_ns;
  EXPECT_EQ(first, 9'700'000 + 2 + 9'500'000);  // 3.4 ns * 0.5 pairs
  EXPECT_EQ(outcome.requests[1].end_ns - first,
            std::llround(11.2e6 + 80 * 1 + 3.4 * 63 * 31.5 + 9.5e6));
  EXPECT_EQ(outcome.requests[0].end_ns, outcome.requests[1].end_ns);
}

TEST(Engine, TensorParallelStepsHaveCollectives) {
  const CostShape shape = CostShapeOf("llama2-70b-h100-tp8").value();
  EXPECT_DOUBLE_EQ(StepNs(shape, {.tokens = 128, .decode_context = 1000}, false),
                   10e6 + 15.3 * 1000 + 1.6e6 + 128 * 13'100 + 1.5e6);
}

TEST(Engine, EveryRequestGetsItsTokensInItsOrder) {
  const auto planned = Plan(2000, 12, 3);
  const auto outcome = RunToEnd(LlamaEngine(), {.kv_blocks = 1500}, {}, planned).value();
  EXPECT_GT(outcome.preemptions, 20);
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const RequestRecord& one = outcome.requests[i];
    ASSERT_FALSE(one.is_aborted);
    ASSERT_EQ(one.output_tokens, planned[i].spec.output_tokens);
    ASSERT_LE(one.arrival_ns, one.scheduled_ns);
    ASSERT_LT(one.scheduled_ns, one.first_token_ns);
    ASSERT_LE(one.first_token_ns, one.end_ns);
    if (i > 0) {
      ASSERT_LE(outcome.requests[i - 1].scheduled_ns, one.scheduled_ns);
    }
  }
}

// The number inside, as it is sampled at every step, is the rate times the time inside.
TEST(Engine, LittlesLawHoldsWithinAPercent) {
  double inside_ns = 0;
  const auto outcome = RunToEnd(LlamaEngine(), {}, {}, Plan(4000, 6, 5), [&](const Step& step) {
                         inside_ns += static_cast<double>(step.running + step.waiting) *
                                      static_cast<double>(step.end_ns - step.begin_ns);
                       }).value();
  double sum_ns = 0;
  for (const RequestRecord& one : outcome.requests)
    sum_ns += static_cast<double>(one.end_ns - one.arrival_ns);
  EXPECT_NEAR(inside_ns / sum_ns, 1, 0.01);
}

TEST(Engine, TheSameSeedGivesTheSameRunAndNoiseHasMeanOne) {
  const auto planned = Plan(300, 4, 9);
  const auto run = [&](const EngineNoise& noise) {
    return RunToEnd(LlamaEngine(), {}, noise, planned).value();
  };
  EXPECT_EQ(run({.seed = 4}).end_ns, run({.seed = 4}).end_ns);
  EXPECT_NE(run({.seed = 4}).end_ns, run({.seed = 5}).end_ns);
  const std::vector<PlannedRequest> one = {{.spec = {.prompt_tokens = 1, .output_tokens = 8000}}};
  const auto noisy = RunToEnd(LlamaEngine(), {}, {.sigma = 0.05}, one).value();
  const auto quiet = RunToEnd(LlamaEngine(), {}, kQuiet, one).value();
  EXPECT_NEAR(static_cast<double>(noisy.end_ns) / static_cast<double>(quiet.end_ns), 1, 0.003);
  const auto stalled = RunToEnd(LlamaEngine(), {}, {.sigma = 0, .stall_chance = 0.01}, one).value();
  EXPECT_NEAR(static_cast<double>(stalled.end_ns - quiet.end_ns) / 8000e6, 0.01 * 125, 0.3);
}

TEST(Engine, AnAbortFreesItsBlocks) {
  const auto engine = Engine::Make(TinyEngine(), {}, kQuiet).value();
  engine->Add(1, {.prompt_tokens = 100, .output_tokens = 50}, 0);
  engine->Add(2, {.prompt_tokens = 100, .output_tokens = 50}, 0);
  ASSERT_TRUE(engine->Begin(0));
  EXPECT_EQ(engine->End().tokens.size(), 2U);
  EXPECT_EQ(engine->kv_blocks() - engine->free_blocks(), 14);
  const auto record = engine->Abort(1, 5'000'000);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->is_aborted);
  EXPECT_EQ(record->output_tokens, 1);
  EXPECT_EQ(engine->kv_blocks() - engine->free_blocks(), 7);
  EXPECT_FALSE(engine->Abort(1, 5'000'000));
}

TEST(Engine, DiesWhenItsMemoryIsSpent) {
  std::vector<PlannedRequest> planned(900, {.spec = {.prompt_tokens = 8, .output_tokens = 400}});
  const EngineSettings settings{.max_num_seqs = 1024, .gpu_memory_utilization = 0.97};
  const auto outcome = RunToEnd(LlamaEngine(), settings, kQuiet, planned).value();
  EXPECT_TRUE(outcome.died_ns);
  EXPECT_EQ(GoodputPerS(outcome, INT64_MAX, INT64_MAX), 0);
  planned.resize(100);
  EXPECT_FALSE(RunToEnd(LlamaEngine(), settings, kQuiet, planned).value().died_ns);
}

TEST(Engine, GoodputCountsWhatKeepsBothLimits) {
  const auto ms = [](std::int64_t value) { return value * 1'000'000; };
  RunOutcome outcome;
  outcome.requests = {
      {.output_tokens = 11, .first_token_ns = ms(100), .end_ns = ms(600)},
      {.output_tokens = 11, .arrival_ns = ms(1000), .first_token_ns = ms(1300), .end_ns = ms(1400)},
      {.output_tokens = 11,
       .arrival_ns = ms(2000),
       .first_token_ns = ms(2100),
       .end_ns = ms(2700)}};
  EXPECT_DOUBLE_EQ(GoodputPerS(outcome, ms(200), ms(50)), 0.5);
  EXPECT_DOUBLE_EQ(GoodputPerS(outcome, ms(300), ms(60)), 1.5);
}

TEST(Engine, RequestsThatAreTooLongOrOutOfOrderAreRefused) {
  EXPECT_FALSE(
      RunToEnd(TinyEngine(), {}, kQuiet, {{.spec = {.prompt_tokens = 2000, .output_tokens = 49}}})
          .ok());
  EXPECT_FALSE(RunToEnd(TinyEngine(), {}, kQuiet, {{.arrival_ns = 5}, {.arrival_ns = 4}}).ok());
}

// One at a time: 36.545645 ms for the prompt, 127 tokens of 11.2 ms + 80 ns * (512 .. 638).
TEST(Capacity, OfOneAtATimeIsTheTimeOfOne) {
  const auto found = FindCapacity(LlamaEngine(), {.max_num_seqs = 1}, {}).value();
  EXPECT_NEAR(found.requests_per_s, 1 / (0.036545645 + 127 * (0.0112 + 80e-9 * 575)), 1e-6);
  EXPECT_NEAR(found.mean_running, 1, 1e-9);
}

TEST(Capacity, IsServedBelowItAndNotAboveIt) {
  const RequestMix mix{.prompt_tokens = 400, .output_tokens = 100};
  const double capacity = FindCapacity(LlamaEngine(), {}, mix).value().requests_per_s;
  const auto late_s = [&](double share) {
    std::vector<PlannedRequest> planned;
    for (int i = 0; i < 3000; ++i) {
      planned.push_back({.arrival_ns = static_cast<std::int64_t>(i * 1e9 / (capacity * share)),
                         .spec = {.prompt_tokens = 400, .output_tokens = 100}});
    }
    const auto outcome = RunToEnd(LlamaEngine(), {}, kQuiet, planned).value();
    return static_cast<double>(outcome.requests.back().TtftNs()) * 1e-9;
  };
  EXPECT_LT(late_s(0.95), 1);
  EXPECT_GT(late_s(1.1), 10);
}

}  // namespace
}  // namespace rankscope::sim
