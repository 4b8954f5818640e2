// What goes with a capture: of the rank's device and of its host.
#include "agent/run_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Metric kStalled = {"rankscope_pressure_seconds_total", quantity::Kind::kCounter, ""};
constexpr Metric kRunSamplesCpu = {"rankscope_cpu_seconds_total", quantity::Kind::kCounter, ""};
constexpr Metric kSwitches = {"rankscope_context_switches_total", quantity::Kind::kCounter, ""};
constexpr Metric kRunning = {"rankscope_processes_running", quantity::Kind::kGauge, ""};

Snapshots At(std::int64_t s, double stalled, double switches) {
  const Now now{.steady_ms = 1000 * s, .unix_us = 1'000'000 * s};
  return {MakeSnapshot("pressure",
                       {{&kStalled, {{"resource", "cpu"}, {"kind", "full"}}, 77},
                        {&kStalled, {{"resource", "cpu"}, {"kind", "some"}}, stalled}},
                       now),
          MakeSnapshot("cpu",
                       {{&kRunSamplesCpu, {{"cpu", "0"}, {"mode", "idle"}}, 1},
                        {&kRunSamplesCpu, {{"cpu", "0"}, {"mode", "user"}}, 1},
                        {&kRunSamplesCpu, {{"cpu", "1"}, {"mode", "idle"}}, 1},
                        {&kSwitches, {}, switches},
                        {&kRunning, {}, 9}},
                       now)};
}

std::string Text(const std::vector<HostSample>& samples) {
  std::string text;
  for (const HostSample& one : samples)
    text += fmt::format("{} {} {} {}; ", one.unix_us / 1'000'000, one.quantity->name, one.value,
                        one.quantity->unit);
  return text;
}

TEST(HostHistory, RatesBetweenReadings) {
  HostHistory history;
  const Snapshots first = At(100, 5, 1000);
  history.See(first);
  history.See(first);  // nothing new
  EXPECT_EQ(Text(history.Between(0, INT64_MAX)),
            "100 host_runnable 9 tasks; 100 host_cores 2 cores; ");
  history.See(At(110, 9, 6000));
  EXPECT_EQ(Text(history.Between(101'000'000, INT64_MAX)),
            "110 host_cpu_pressure 0.4 ratio; 110 host_cpu_busy 0 ratio; 110 host_context_switches "
            "500 1/s; "
            "110 host_runnable 9 tasks; 110 host_cores 2 cores; ");
  history.See(At(120, 1, 7000));
  EXPECT_THAT(Text(history.Between(111'000'000, INT64_MAX)), Not(HasSubstr("pressure")))
      << "the counter began anew";
  EXPECT_EQ(history.Between(0, 99'000'000).size(), 0U);
}

TEST(HostHistory, ARatioIsOneAtMost) {
  HostHistory history;
  history.See(At(100, 5, 1000));
  // The kernel's clock and the agent's differ by a little: 10.004 s of 10.
  history.See(At(110, 15.004, 6000));
  EXPECT_THAT(Text(history.Between(101'000'000, INT64_MAX)),
              HasSubstr("110 host_cpu_pressure 1 ratio;"));
}

constexpr Metric kWait = {"rankscope_process_run_queue_seconds_total", quantity::Kind::kCounter,
                          ""};

TEST(HostHistory, WaitingForCoresIsOfAProcess) {
  HostHistory history;
  const auto at = [](std::int64_t s, std::vector<std::pair<std::string, double>> waited) {
    std::vector<Reading> readings;
    for (const auto& [pid, seconds] : waited)
      readings.push_back({&kWait, {{"pid", pid}, {"command", "python"}}, seconds});
    return Snapshots{
        MakeSnapshot("process", readings, {.steady_ms = 1000 * s, .unix_us = 1'000'000 * s})};
  };
  history.See(at(100, {{"70", 1}, {"7", 20}}));
  history.See(at(110, {{"70", 3}, {"7", 25}}));
  const std::vector<HostSample> first = history.Between(0, INT64_MAX);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].pid, 70);
  EXPECT_EQ(first[0].value, 0.2);
  EXPECT_EQ(first[1].pid, 7);
  EXPECT_EQ(first[1].value, 0.5);
  // One ends, and its number is given to another.
  history.See(at(120, {{"7", 25}}));
  history.See(at(130, {{"70", 9}, {"7", 25}}));
  EXPECT_EQ(history.Between(111'000'000, INT64_MAX).size(), 2U);
}

TEST(RunSamplesJson, OfTheDeviceAndTheHost) {
  device::DeviceState state;
  state.index = 3;
  state.power_watts = 700;
  state.power_limit_watts = 650;
  state.energy_joules = 1000;
  state.slowed_by = {"software_power_cap"};
  device::DeviceState after = state;
  after.slowed_by = std::vector<std::string>();
  Process process;
  process.info.pid = 7;
  process.info.local_rank = 3;
  const CaptureMember member{.pid = 7, .rank = 11};
  const std::string json =
      RunSamplesJson({{.unix_us = 5, .states = {state}}, {.unix_us = 6, .states = {after}}},
                     {{7, 0, &quantity::kHostCpuPressure, 0.25},
                      {8, 7, &quantity::kProcessCoreWait, 0.5},
                      {8, 9, &quantity::kProcessCoreWait, 0.75}},
                     member, {process}, "node1");
  EXPECT_THAT(
      json,
      HasSubstr(
          R"("time":"8000","name":"process_core_wait","unit":"ratio","rank":11,"value":0.5)"));
  EXPECT_THAT(json, Not(HasSubstr("0.75"))) << "another process's";
  EXPECT_THAT(json,
              HasSubstr(R"("name":"device_slowed_power_brake","unit":"","rank":11,"value":0)"));
  EXPECT_THAT(
      json,
      HasSubstr(
          R"({"time":"5000","name":"device_power_limit","unit":"W","rank":11,"value":650,"host":"node1"})"));
  EXPECT_THAT(
      json, HasSubstr(R"("time":"5000","name":"device_energy","unit":"J","rank":11,"value":1000)"));
  EXPECT_THAT(
      json,
      HasSubstr(
          R"("time":"5000","name":"device_slowed_software_power_cap","unit":"","rank":11,"value":1)"));
  EXPECT_THAT(
      json,
      HasSubstr(
          R"("time":"6000","name":"device_slowed_software_power_cap","unit":"","rank":11,"value":0)"));
  EXPECT_THAT(
      json,
      HasSubstr(
          R"("time":"7000","name":"host_cpu_pressure","unit":"ratio","rank":11,"value":0.25)"));
  EXPECT_THAT(json, Not(HasSubstr("device_busy")));
  EXPECT_EQ(RunSamplesJson({}, {}, member, {}, "a"), "");
  EXPECT_EQ(RunSamplesJson({{.unix_us = 5, .states = {state}}}, {}, {.pid = 7}, {process}, "a"),
            "");
}

}  // namespace
}  // namespace rankscope::agent
