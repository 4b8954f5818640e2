#include "quantity/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "quantity/agent_metrics.h"

namespace rankscope::quantity {
namespace {

TEST(Quantities, HaveNamesOfTheirOwnThatSayWhoseTheyAre) {
  std::set<std::string_view> names;
  for (const Quantity* const one : All()) {
    EXPECT_TRUE(names.insert(one->name).second) << one->name;
    EXPECT_FALSE(one->text.empty()) << one->name;
    const std::string_view begin = one->scope == Scope::kHost     ? "host_"
                                   : one->scope == Scope::kDevice ? "device_"
                                                                  : "process_";
    EXPECT_TRUE(one->name.starts_with(begin)) << one->name;
    EXPECT_EQ(Find(one->name), one);
  }
  EXPECT_EQ(Find("device_clock"), nullptr);
}

TEST(Quantities, AreCalledByPrometheusWithTheirUnit) {
  EXPECT_EQ(PrometheusName(kDeviceBusy), "rankscope_device_busy_ratio");
  EXPECT_EQ(PrometheusName(kDevicePower), "rankscope_device_power_watts");
  EXPECT_EQ(PrometheusName(kDeviceEnergy), "rankscope_device_energy_joules_total");
  EXPECT_EQ(PrometheusName(kDeviceSmClockMax), "rankscope_device_sm_clock_max_hertz");
  EXPECT_EQ(PrometheusName(kDeviceTemperature), "rankscope_device_temperature_celsius");
  EXPECT_EQ(PrometheusName(kDevicePcieSent), "rankscope_device_pcie_sent_bytes_per_second");
  EXPECT_EQ(PrometheusName(kDeviceXidErrors), "rankscope_device_xid_errors_total");
  EXPECT_EQ(PrometheusName(kDeviceProcessMemory), "rankscope_device_process_memory_bytes");
  EXPECT_EQ(PrometheusName(kDeviceErrorsCorrected),
            "rankscope_device_memory_errors_corrected_total");
  EXPECT_EQ(PrometheusName(kCpu), "rankscope_cpu_seconds_total");
  EXPECT_EQ(PrometheusName(kSensorFan), "rankscope_sensor_fan_rpm");
}

TEST(Quantities, ThatSayTheirUnitGetItOnce) {
  EXPECT_EQ(kDevicePeakFlops.unit, "FLOP/s");
  EXPECT_EQ(PrometheusName(kDevicePeakFlops), "rankscope_device_peak_flops_per_second");
  EXPECT_EQ(PrometheusName(kDeviceFlops), "rankscope_device_flops_per_second_estimate");
  EXPECT_EQ(PrometheusName(kDeviceFlopsRatio), "rankscope_device_flops_ratio_estimate");
}

TEST(Quantities, HaveTheLabelsOfTheirScopeAndTheirOwn) {
  using ::testing::ElementsAre;
  EXPECT_THAT(LabelsOf(kDeviceProcessMemory), ElementsAre("device", "name", "uuid", "pid"));
  EXPECT_THAT(LabelsOf(kCpu), ElementsAre("cpu", "mode"));
  EXPECT_THAT(LabelsOf(kForks), ElementsAre());
}

TEST(AgentMetrics, HaveNamesAndLabelsThatDiffer) {
  std::set<std::string> names;
  for (const Quantity* const one : AgentMetrics()) {
    EXPECT_TRUE(names.insert(PrometheusName(*one)).second) << one->name;
    EXPECT_FALSE(one->text.empty()) << one->name;
    EXPECT_EQ(one->name.starts_with("device_"), one->scope == Scope::kDevice) << one->name;
    EXPECT_EQ(one->name.starts_with("agent_"), one->scope == Scope::kAgent) << one->name;
    EXPECT_EQ(one->name.starts_with("process_"), one->scope == Scope::kProcess) << one->name;
    const std::vector<std::string_view> labels = LabelsOf(*one);
    EXPECT_EQ(std::set(labels.begin(), labels.end()).size(), labels.size()) << one->name;
  }
}

}  // namespace
}  // namespace rankscope::quantity
