// Rules that telemetry decides, on programs whose cost is known exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;

// Traces begin at 1,000,000 ns of their clock.
MetricSample Of(std::int64_t rank, std::string_view name, double value) {
  return {.time_ns = 900'000, .rank = rank, .name = std::string(name), .value = value, .unit = ""};
}

void Work(Program& program, std::int64_t product_us) {
  for (int i = 0; i < 10; ++i) program.Op("aten::mm", "gemm", product_us);
}

// Ten products, for which a rank takes so long, and the wait for those that take longer.
Body Products(std::int64_t product_us, std::int64_t waits_us = 0) {
  return [=](Program& program, int) {
    Work(program, product_us);
    program.Waits(waits_us);
  };
}

// Rank 3 takes 130 us for what the others do in 100.
std::vector<Body> OneSlowDevice() {
  return {Products(100, 300), Products(100, 300), Products(100, 300), Products(130)};
}

TEST(TelemetryRules, ASlowDeviceWhoseClockIsHeldDownIsThrottled) {
  const Told told = TellOfRanks(
      OneSlowDevice(), 6, -1,
      {Of(0, "device_sm_clock", 1.41e9), Of(1, "device_sm_clock", 1.41e9),
       Of(2, "device_sm_clock", 1.41e9), Of(3, "device_sm_clock", 1.08e9),
       Of(3, "device_slowed_hardware_thermal", 1), Of(0, "device_slowed_hardware_thermal", 0)});
  EXPECT_EQ(told.ids, "power-throttle ");
  EXPECT_EQ(told.ranks, "3");
  EXPECT_EQ(
      told.title,
      "heat (hardware) holds down the clock of rank 3: its device runs the same kernels x1.30 "
      "as long as its peers'");
  // Every step of all ranks is that of rank 3: ten products of 130 us in place of 100.
  EXPECT_NEAR(told.gain, 100 * 300 / told.mean_step, 0.5);
}

TEST(TelemetryRules, ASlowDeviceAtFullClockIsSlow) {
  const Told told = TellOfRanks(OneSlowDevice(), 6, -1,
                                {Of(0, "device_sm_clock", 1.41e9), Of(3, "device_sm_clock", 1.41e9),
                                 Of(3, "device_slowed_software_power_cap", 1)});
  EXPECT_EQ(told.ids, "slow-gpu ");
  EXPECT_EQ(told.ranks, "3");
}

// All are at their power cap: that does not tell one from the others.
TEST(TelemetryRules, AReasonThatAllHaveExplainsNoDifference) {
  std::vector<MetricSample> samples;
  for (std::int64_t rank = 0; rank < 4; ++rank)
    samples.push_back(Of(rank, "device_slowed_software_power_cap", 1));
  EXPECT_EQ(TellOfRanks(OneSlowDevice(), 6, -1, samples).ids, "slow-gpu ");
}

TEST(TelemetryRules, EachSlowDeviceIsToldByItsOwnCause) {
  const std::vector<Body> bodies = {Products(100, 300), Products(100, 300), Products(100, 300),
                                    Products(100, 300), Products(130),      Products(130)};
  const Told told = TellOfRanks(bodies, 6, -1, {Of(4, "device_slowed_power_brake", 1)});
  // Each hides the other: without one alone nothing is gained.
  EXPECT_THAT(told.ids, HasSubstr("power-throttle"));
  EXPECT_THAT(told.ids, HasSubstr("slow-gpu"));
}

// All devices at three quarters of their clock, for heat: ten products of 100 us could take 75.
TEST(TelemetryRules, AllDevicesAreHeldDown) {
  std::vector<MetricSample> hot, capped;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    for (auto* samples : {&hot, &capped}) {
      samples->push_back(Of(rank, "device_sm_clock", 1.05e9));
      samples->push_back(Of(rank, "device_sm_clock_max", 1.40e9));
    }
    hot.push_back(Of(rank, "device_slowed_software_thermal", 1));
    capped.push_back(Of(rank, "device_slowed_software_power_cap", 1));
  }
  const Told told = TellOfRanks({Products(100), Products(100)}, 6, -1, hot);
  EXPECT_EQ(told.ids, "power-throttle ");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_NEAR(told.gain, 100 * 250 / told.mean_step, 0.5);
  EXPECT_EQ(told.title,
            "heat (driver) holds down the clocks of all ranks, which could be x1.33 as fast");
  // A device under full load is at its power cap: no alarm.
  EXPECT_EQ(TellOfRanks({Products(100), Products(100)}, 6, -1, capped).ids, "");
}

// Many kernels of 4 us, launched every 10 us: the step is what the hosts take, and half of that
// they wait for cores.
Body ManyLaunches() {
  return [](Program& program, int) {
    for (int i = 0; i < 300; ++i) program.Op("aten::add", "gemv_kernel", 4);
  };
}

TEST(TelemetryRules, HostsThatWaitForCores) {
  const std::vector<MetricSample> waits = {Of(0, "process_core_wait", 0.5),
                                           Of(1, "process_core_wait", 0.5)};
  const Told told = TellOfRanks({ManyLaunches(), ManyLaunches()}, 6, -1, waits);
  EXPECT_THAT(told.ids, HasSubstr("cpu-contention"));
  EXPECT_EQ(TellOfRanks({ManyLaunches(), ManyLaunches()}, 6, -1,
                        {Of(0, "process_core_wait", 0.02), Of(1, "process_core_wait", 0.02)})
                .ids,
            "launch-bound ");
}

// Rank 1 is as slow without any pressure: nothing would be gained.
TEST(TelemetryRules, PressureThatCostsNothingIsNotTold) {
  std::vector<MetricSample> pressure = {Of(0, "host_cpu_pressure", 0.5)};
  pressure.front().rank.reset();
  pressure.front().host = "node1";
  JobForTest job;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    Program program;
    for (int step = 0; step < 6; ++step)
      program.Step(step, [&](Program& of) { ManyLaunches()(of, step); });
    job.Add(rank, program.Build(-1)).OnHost(rank == 0 ? "node1" : "node2");
  }
  job.With(TelemetryOf(pressure));
  const Table findings = job.Run(FindingsAnalysis());
  for (std::size_t row = 0; row < findings.row_count(); ++row)
    EXPECT_NE(std::get<std::string_view>(Cell(findings, row, "id")), "cpu-contention");
}

TEST(TelemetryRules, DevicesWithRoom) {
  const auto told = [](double active, double memory) {
    std::vector<MetricSample> samples;
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      samples.push_back(Of(rank, "device_sm_active", active));
      samples.push_back(Of(rank, "device_memory_used", memory));
      samples.push_back(Of(rank, "device_memory_total", 80e9));
    }
    return TellOfRanks({Products(100), Products(100)}, 6, -1, samples);
  };
  const Told underused = told(0.25, 20e9);
  EXPECT_EQ(underused.ids, "underused-gpu ");
  // Ten products of 100 us run for that part of the step, and three quarters of the device are
  // idle.
  EXPECT_NEAR(underused.gain, 100 * 0.75 * 1000 / underused.mean_step, 0.5);
  EXPECT_EQ(told(0.6, 20e9).ids, "");
  EXPECT_EQ(told(0.25, 70e9).ids, "");
}

TEST(TelemetryRules, WhatTelemetryDoesNotSayIsNotEvaluated) {
  const auto reasons = [](const std::vector<MetricSample>& samples) {
    JobForTest job;
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      Program program;
      for (int step = 0; step < 4; ++step) program.Step(step, [](Program& of) { Work(of, 100); });
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
  const std::string some = reasons({Of(0, "process_core_wait", 0)});
  EXPECT_THAT(some, HasSubstr("power-throttle: the telemetry does not say what holds clocks down"));
  EXPECT_THAT(some, Not(HasSubstr("cpu-contention")));
  EXPECT_THAT(some,
              HasSubstr("underused-gpu: the telemetry does not say how much of devices works"));
}

}  // namespace
}  // namespace rankscope
