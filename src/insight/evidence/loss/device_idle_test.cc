#include "insight/evidence/loss/device_idle.h"

#include <gtest/gtest.h>

#include <array>

#include "analysis/steps/analyses.h"
#include "base/units_for_test.h"
#include "insight/rule_input_for_test.h"

namespace rankscope {
namespace {

// Four steps of 1000 us: a copy of 100 us, a kernel of `kernel_us` behind it, and the host.
RankTrace RankOf(std::int64_t kernel_us) {
  TraceForTest trace;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t t = 1000 * step;
    trace.Step(step, t * kUs, 1000 * kUs)
        .Launch(2 * step + 1, (t + 10) * kUs, 5 * kUs)
        .Kernel(7, "Memcpy HtoD (Pinned -> Device)", (t + 20) * kUs, 100 * kUs, 2 * step + 1)
        .Launch(2 * step + 2, (t + 20) * kUs, 5 * kUs)
        .Kernel(7, "gemm", (t + 120) * kUs, kernel_us * kUs, 2 * step + 2);
  }
  return trace.Build(1'000'000);
}

// By rank: of 1000 us it computes 600 and copies for 100, and 800 and 100, in three steps that
// count; behind the last one the recording goes on for 280 us, and 80.
TEST(DeviceIdle, OfEachRank) {
  JobForTest job;
  job.Add(0, RankOf(600)).Add(1, RankOf(800));
  LookAt(job, {&TimeBreakdownAnalysis()}, [](const RuleInput& input) {
    const DeviceIdle idle(input);
    ASSERT_EQ(idle.share.size(), 2U);
    EXPECT_DOUBLE_EQ(idle.share[0], (3 * 300.0 + 280) / (3 * 1000 + 280));
    EXPECT_DOUBLE_EQ(idle.share[1], (3 * 100.0 + 80) / (3 * 1000 + 80));
    EXPECT_DOUBLE_EQ(idle.with_copies[0], (3 * 400.0 + 280) / (3 * 1000 + 280));
    constexpr std::array<std::uint32_t, 1> kSecond = {1};
    EXPECT_EQ(DeviceIdle::MostOf(idle.share, kSecond), idle.share[1]);
    EXPECT_EQ(DeviceIdle::MostOf(idle.share, {}), 1);
  });
}

// Where no device time was accounted, nothing limits a bound.
TEST(DeviceIdle, IsNotKnownWithoutItsTable) {
  JobForTest job;
  job.Add(0, RankOf(600));
  LookAt(job, {}, [](const RuleInput& input) { EXPECT_EQ(DeviceIdle(input).share.front(), 1); });
}

}  // namespace
}  // namespace rankscope
