// prefill-stalls: decodes that wait for prompts in their steps.
#include <gtest/gtest.h>

#include <string>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// vLLM's steps of three sequences; every fifth has a prompt, too, of `mixed_us` of kernels.
Table Serves(std::int64_t mixed_us, std::string_view mark_of_mixed) {
  TraceForTest trace;
  std::int64_t at = 0;
  for (int step = 0; step < 20; ++step) {
    const bool is_mixed = step % 5 == 2;
    const std::int64_t us = is_mixed ? mixed_us : 100;
    const std::string mark =
        is_mixed ? std::string(mark_of_mixed) : "execute_context_0(0)_generation_3(3)";
    trace.Host(1, EventKind::kUserAnnotation, mark, at * kUsForTest, (us + 20) * kUsForTest)
        .Launch(step + 1, (at + 2) * kUsForTest, 5 * kUsForTest)
        .Kernel(7, "attention", (at + 10) * kUsForTest, us * kUsForTest, step + 1)
        .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", (at + 8) * kUsForTest,
              (us + 6) * kUsForTest, 100 + step);
    at += us + 30;
  }
  JobForTest job;
  job.Add(0, trace.Build(1'000'000));
  return job.Run(FindingsAnalysis());
}

constexpr std::string_view kMixed = "execute_context_1(8192)_generation_3(3)";

// Four of twenty steps take 4.03 ms, decodes 0.13: of each 20 decode steps are no stall.
TEST(PrefillStalls, MixedStepsOfManyDecodes) {
  const Table findings = Serves(4000, kMixed);
  ASSERT_TRUE(Rows(findings, {"id"}).starts_with("prefill-stalls\n")) << Rows(findings, {"id"});
  EXPECT_NEAR(Gain(findings), 100 * 4.0 * (4030 - 20 * 130) / (4 * 4030 + 15 * 130), 0.1);
  EXPECT_NE(Rows(findings, {"title"}).find("31 times as long as decode steps"), std::string::npos)
      << Rows(findings, {"title"});
}

// Prompts in pieces of eight decode steps: what serving them takes, which tokens pay for.
TEST(PrefillStalls, MixedStepsOfSomeDecodesAreATrade) {
  const Table findings = Serves(1000, kMixed);
  ASSERT_TRUE(Rows(findings, {"id", "severity"}).starts_with("prefill-stalls,low\n"))
      << Rows(findings, {"id", "severity"});
  // The first decode is not complete.
  EXPECT_NEAR(Gain(findings), 100 * 4.0 * (1030 - 130) / (4 * 1030 + 15 * 130), 0.1);
  EXPECT_NE(Rows(findings, {"title"}).find("comes so much later"), std::string::npos);
}

// What takes hardly more than a decode; and prompts alone hold up nobody who is known.
TEST(PrefillStalls, AreNoneOf) {
  const auto has = [](const Table& findings) {
    return Rows(findings, {"id"}).find("prefill-stalls") != std::string::npos;
  };
  EXPECT_FALSE(has(Serves(150, kMixed)));
  EXPECT_FALSE(has(Serves(4000, "execute_context_1(8192)_generation_0(0)")));
}

}  // namespace
}  // namespace rankscope
