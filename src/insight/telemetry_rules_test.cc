// What several rules make of telemetry: who is told by which, and what cannot be told without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "insight/telemetry_program_for_test.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;

TEST(TelemetryRules, EachSlowDeviceIsToldByItsOwnCause) {
  const std::vector<Body> bodies = {TenProducts(100, 300), TenProducts(100, 300),
                                    TenProducts(100, 300), TenProducts(100, 300),
                                    TenProducts(130),      TenProducts(130)};
  const Told told = TellOfRanks(bodies, 6, -1, {SampleOf(4, "device_slowed_power_brake", 1)});
  // Each hides the other: without one alone nothing is gained.
  EXPECT_TRUE(told.Has("power-throttle")) << told.ids;
  EXPECT_TRUE(told.Has("slow-gpu")) << told.ids;
}

TEST(TelemetryRules, WhatTelemetryDoesNotSayIsNotEvaluated) {
  const auto reasons = [](const std::vector<MetricSample>& samples) {
    JobForTest job;
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      Program program;
      for (int step = 0; step < 4; ++step) program.Step(step, [](Program& of) { of.Products(10); });
      job.Add(rank, program.Build(-1));
    }
    job.With(TelemetryOf(samples));
    std::string all;
    const Table table = job.Run(NotEvaluatedAnalysis());
    for (std::size_t row = 0; row < table.row_count(); ++row)
      all += std::string(std::get<std::string_view>(Cell(table, row, "id"))) + ": " +
             std::string(std::get<std::string_view>(Cell(table, row, "reason"))) + "\n";
    return all;
  };
  EXPECT_THAT(reasons({}), HasSubstr("power-throttle: needs telemetry"));
  const std::string some = reasons({SampleOf(0, "process_core_wait", 0)});
  EXPECT_THAT(some, HasSubstr("power-throttle: the telemetry does not say what holds clocks down"));
  EXPECT_THAT(some, Not(HasSubstr("cpu-contention")));
  EXPECT_THAT(some,
              HasSubstr("underused-gpu: the telemetry does not say how much of devices works"));
}

}  // namespace
}  // namespace rankscope
