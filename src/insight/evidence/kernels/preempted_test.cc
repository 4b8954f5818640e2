#include "insight/evidence/kernels/preempted.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/units_for_test.h"
#include "insight/rule_input_for_test.h"

namespace rankscope {
namespace {

// Six kernels of a kind in six steps of 5 ms, of which these take so long, the others 100 us.
std::size_t CountOf(std::initializer_list<int> long_steps, std::int64_t us) {
  TraceForTest trace;
  for (int step = 0; step < 6; ++step) {
    const bool is_long = std::find(long_steps.begin(), long_steps.end(), step) != long_steps.end();
    const std::int64_t t = 5000 * step;
    trace.Step(step, t * kUs, 5000 * kUs)
        .Launch(step + 1, (t + 10) * kUs, 5 * kUs)
        .Kernel(7, "gemm", (t + 20) * kUs, (is_long ? us : 100) * kUs, step + 1);
  }
  JobForTest job;
  job.Add(0, trace.Build(1'000'000));
  std::size_t count = 0;
  LookAt(job, {}, [&](const RuleInput& input) {
    const Preempted preempted(input);
    for (NodeId node = 0; node < input.graph().nodes().size(); ++node)
      count += preempted.Has(node) ? 1 : 0;
  });
  return count;
}

TEST(Preempted, TenTimesAndAMillisecondLonger) {
  EXPECT_EQ(CountOf({1, 2, 4}, 2100), 3U);
  EXPECT_EQ(CountOf({1}, 1001), 0U);  // ten times, not a millisecond longer
  EXPECT_EQ(CountOf({}, 0), 0U);
  // What takes so long in most steps takes so long.
  EXPECT_EQ(CountOf({0, 1, 2, 3, 4}, 2100), 0U);
}

// Where most of a kind take as long as each other, 1.5 times and a millisecond longer are enough.
TEST(Preempted, LongKernelsThatMostlyTakeEquallyLong) {
  const auto count = [](std::int64_t usual_us, std::int64_t long_us, bool is_even,
                        std::string_view name = "gemm") {
    TraceForTest trace;
    for (int step = 0; step < 8; ++step) {
      const std::int64_t t = 9000 * step;
      const std::int64_t us = step == 3 ? long_us : is_even ? usual_us : usual_us + 200 * step;
      trace.Step(step, t * kUs, 9000 * kUs)
          .Launch(step + 1, (t + 10) * kUs, 5 * kUs)
          .Kernel(7, name, (t + 20) * kUs, us * kUs, step + 1);
    }
    JobForTest job;
    job.Add(0, trace.Build(1'000'000));
    std::size_t found = 0;
    LookAt(job, {}, [&](const RuleInput& input) {
      const Preempted preempted(input);
      for (NodeId node = 0; node < input.graph().nodes().size(); ++node)
        found += preempted.Has(node) ? 1 : 0;
    });
    return found;
  };
  EXPECT_EQ(count(1000, 3000, true), 1U);
  EXPECT_EQ(count(1000, 1900, true), 0U);  // not a millisecond longer
  EXPECT_EQ(count(3000, 4400, true), 0U);  // not 1.5 times
  EXPECT_EQ(count(1000, 3000, false), 0U);
  // Longer documents in a packed batch.
  EXPECT_EQ(count(2500, 4500, true, "pytorch_flash::flash_fwd_kernel"), 0U);
}

// Four small products and a large one by a kernel of one name and launch, in each step.
TEST(Preempted, TheLargeOneOfEachStepIsNot) {
  TraceForTest trace;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t t = 9000 * step;
    trace.Step(step, t * kUs, 9000 * kUs);
    for (int i = 0; i < 5; ++i) {
      const std::int64_t call = 5 * step + i + 1;
      trace.Launch(call, (t + 10 + 10 * i) * kUs, 5 * kUs)
          .Kernel(7, "gemm", (t + 100 + 200 * i) * kUs, (i == 4 ? 5200 : 100) * kUs, call);
    }
  }
  JobForTest job;
  job.Add(0, trace.Build(1'000'000));
  LookAt(job, {}, [&](const RuleInput& input) { EXPECT_TRUE(Preempted(input).has.empty()); });
}

}  // namespace
}  // namespace rankscope
