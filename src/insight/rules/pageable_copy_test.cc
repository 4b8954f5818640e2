// pageable-copy: copies from memory that is not pinned block the host.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

Table Copying(std::string_view name) {
  JobPlan plan;
  plan.step = [=](int, int) { return RankStep{.pageable = 700, .copy = name}; };
  return FindingsOf(plan);
}

// Of the 710 us that the copy and its call take before the op, 700 are the copy's.
TEST(PageableCopy, BlocksTheHost) {
  const Table findings = Copying("Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(
      Rows(findings, {"id", "severity", "ranks", "steps", "gain_method", "title"}),
      "pageable-copy,high,0-3,0-3,replay,"
      "1 copy a step comes from pageable memory and blocks the host: it takes 700 us, the host "
      "waits 705 us for it and what runs before it\n");
  EXPECT_NEAR(Gain(findings), OfSteps(700, 3080), 0.5);
}

// The driver returns when all is staged, 20 us before the copy is over.
TEST(PageableCopy, TheCallIsAsLongAsTheCopy) {
  const auto copying = [](std::string_view name, std::int64_t call_us) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < 5; ++step) {
      const std::int64_t t = 3000 * step;
      trace.Step(step, t * kUsForTest, 3000 * kUsForTest)
          .Host(1, EventKind::kRuntime, "cudaMemcpy", (t + 100) * kUsForTest, call_us * kUsForTest,
                10 * step + 1)
          .Copy(7, 1 << 20, (t + 110) * kUsForTest, 1000 * kUsForTest, 10 * step + 1, name)
          .Launch(10 * step + 2, (t + 1120) * kUsForTest, 5 * kUsForTest)
          .Kernel(7, "gemm", (t + 1140) * kUsForTest, 1800 * kUsForTest, 10 * step + 2);
    }
    JobForTest job;
    job.Add(0, trace.Build());
    return Rows(job.Run(FindingsAnalysis()), {"id", "title"});
  };
  EXPECT_NE(copying("Memcpy HtoD (Pageable -> Device)", 990)
                .find("it takes 1.00 ms, the host waits 980 us"),
            std::string::npos)
      << copying("Memcpy HtoD (Pageable -> Device)", 990);
  EXPECT_EQ(copying("Memcpy HtoD (Pinned -> Device)", 10).find("pageable-copy"), std::string::npos);
}

TEST(PageableCopy, FromPinnedMemoryIsNone) {
  EXPECT_EQ(Ids(Copying("Memcpy HtoD (Pinned -> Device)")).find("pageable-copy"),
            std::string::npos);
}

TEST(PageableCopy, ToTheHostIsNone) {
  EXPECT_EQ(Ids(Copying("Memcpy DtoH (Device -> Pageable)")).find("pageable-copy"),
            std::string::npos);
}

}  // namespace
}  // namespace rankscope
