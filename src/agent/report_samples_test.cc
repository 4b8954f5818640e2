// What reports carry: each reading once, and what was lost is counted.
#include "agent/report_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/base/kept.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct One {
  std::int64_t unix_us = 0;
};

std::vector<std::int64_t> TimesOf(const std::vector<One>& items) {
  std::vector<std::int64_t> times;
  for (const One& one : items) times.push_back(one.unix_us);
  return times;
}

TEST(Kept, AReaderGoesOnWhereItEnded) {
  Kept<One> kept(3);
  EXPECT_THAT(kept.From(0, 10).items, IsEmpty());
  for (std::int64_t i = 1; i <= 2; ++i) kept.Add({i});
  auto rest = kept.From(0, 1);
  EXPECT_THAT(TimesOf(rest.items), ElementsAre(1));
  rest = kept.From(rest.next, 10);
  EXPECT_THAT(TimesOf(rest.items), ElementsAre(2));
  EXPECT_THAT(kept.From(rest.next, 10).items, IsEmpty());
  // Of five more the first two are pushed out.
  for (std::int64_t i = 3; i <= 7; ++i) kept.Add({i});
  rest = kept.From(rest.next, 10);
  EXPECT_EQ(rest.lost, 2U);
  EXPECT_THAT(TimesOf(rest.items), ElementsAre(5, 6, 7));
  kept.Add({8});
  kept.Clear();
  rest = kept.From(rest.next, 10);
  EXPECT_EQ(rest.lost, 1U);
  EXPECT_EQ(kept.From(rest.next, 10).lost, 0U);
  kept.Add({9});
  EXPECT_THAT(TimesOf(kept.From(rest.next, 10).items), ElementsAre(9));
}

TEST(ReportSamples, EachOnceWhenItArrived) {
  const Devices devices({.reads_amdgpu = false});
  HostHistory host;
  ReportSamples samples(devices, host);
  EXPECT_EQ(samples.Next(), "[]");
  samples.Arrived();
  const auto see = [&](std::int64_t unix_ms, double value) {
    Readings readings;
    readings.Add(quantity::kProcessesRunning, {}, value);
    host.See({MakeSnapshot("cpu", std::move(readings.all),
                           {.steady_ms = unix_ms, .unix_us = 1000 * unix_ms})});
  };
  see(5000, 2);
  const std::string first = "[[5000,null,\"host_runnable\",2]]";
  EXPECT_EQ(samples.Next(), first);
  EXPECT_EQ(samples.Next(), first) << "the server did not say that it has it";
  samples.Arrived();
  EXPECT_EQ(samples.Next(), "[]");
  EXPECT_EQ(samples.sent(), 1U);
  for (int i = 0; i < 2500; ++i) see(10'000 + i, 3);
  samples.Next();
  samples.Arrived();
  EXPECT_EQ(samples.lost(), 500U);
  EXPECT_EQ(samples.sent(), 1001U) << "the rest goes with the next";
}

}  // namespace
}  // namespace rankscope::agent
