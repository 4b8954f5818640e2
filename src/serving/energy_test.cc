// Energy between moments, and per token: of readings whose sums are worked out by hand.
#include "serving/energy.h"

#include <gtest/gtest.h>

#include "base/units_for_test.h"

namespace rankscope::serving {
namespace {

PowerReading Counted(std::int64_t second, double joules, std::string device = "a") {
  return {.device = std::move(device), .time = second * kS, .joules = joules};
}
PowerReading Watts(std::int64_t second, double watts, std::string device = "a") {
  return {.device = std::move(device), .time = second * kS, .watts = watts};
}
DeviceEnergy EnergyOfReadings(std::vector<PowerReading> readings) { return DeviceEnergy(readings); }

TEST(DeviceEnergy, ACounterGrowsEvenlyBetweenReadings) {
  const DeviceEnergy energy =
      EnergyOfReadings({Counted(0, 100), Counted(10, 300), Counted(20, 900)});
  EXPECT_EQ(energy.devices(), 1U);
  EXPECT_DOUBLE_EQ(energy.Between(0, 20 * kS).value(), 800);
  EXPECT_DOUBLE_EQ(energy.Between(5 * kS, 15 * kS).value(), 100 + 300);
  EXPECT_DOUBLE_EQ(energy.Between(5 * kS, 5 * kS).value(), 0);
}

TEST(DeviceEnergy, PowerChangesEvenlyBetweenReadings) {
  const DeviceEnergy energy = EnergyOfReadings({Watts(0, 100), Watts(10, 300)});
  EXPECT_DOUBLE_EQ(energy.Between(0, 10 * kS).value(), 2000);
}

// A device that tells both is known by its counter.
TEST(DeviceEnergy, TheCounterCounts) {
  std::vector<PowerReading> readings = {Counted(0, 0), Counted(10, 500)};
  readings[0].watts = readings[1].watts = 999;
  EXPECT_DOUBLE_EQ(EnergyOfReadings(readings).Between(0, 10 * kS).value(), 500);
}

TEST(DeviceEnergy, OnlyTheTimeInWhichAllDevicesWereReadIsKnown) {
  const DeviceEnergy energy =
      EnergyOfReadings({Watts(0, 100), Watts(10, 100), Watts(4, 50, "b"), Watts(14, 50, "b")});
  EXPECT_EQ(energy.begin(), 4 * kS);
  EXPECT_EQ(energy.end(), 10 * kS);
  EXPECT_DOUBLE_EQ(energy.Between(4 * kS, 10 * kS).value(), 6 * 150);
  EXPECT_FALSE(energy.Between(3 * kS, 10 * kS));
  EXPECT_FALSE(energy.Between(4 * kS, 11 * kS));
}

TEST(DeviceEnergy, WhereACounterBeganAnewNothingIsKnown) {
  const DeviceEnergy energy =
      EnergyOfReadings({Counted(0, 100), Counted(10, 200), Counted(20, 50), Counted(30, 80)});
  EXPECT_DOUBLE_EQ(energy.Between(0, 10 * kS).value(), 100);
  EXPECT_FALSE(energy.Between(5 * kS, 15 * kS));
  EXPECT_FALSE(energy.Between(0, 30 * kS));
  EXPECT_DOUBLE_EQ(energy.Between(20 * kS, 30 * kS).value(), 30);
}

TEST(DeviceEnergy, OneReadingIsNone) {
  EXPECT_EQ(EnergyOfReadings({Watts(0, 100)}).devices(), 0U);
  EXPECT_FALSE(EnergyOfReadings({}).Between(0, 0));
}

// Names do not tell which devices of the two are the same.
TEST(DeviceEnergy, NoDeviceCountsForTwoExporters) {
  ServingData data;
  data.power = {Watts(0, 100), Watts(1, 100, "b")};
  data.power[1].is_of_agent = true;
  KeepOneExporter(data);
  ASSERT_EQ(data.power.size(), 1U);
  EXPECT_EQ(data.power[0].device, "a");
  EXPECT_EQ(data.notes.size(), 1U);
  data.power[0].is_of_agent = true;
  KeepOneExporter(data);
  EXPECT_EQ(data.power.size(), 1U);
  EXPECT_EQ(data.notes.size(), 1U);
}

Request Done(std::int64_t from_s, std::int64_t to_s, std::int64_t tokens) {
  return {.side = Side::kClient,
          .arrival = from_s * kS,
          .e2e = (to_s - from_s) * kS,
          .output_tokens = tokens};
}

// Without counters: tokens of the requests that ended while devices were read.
TEST(Energy, OfRequests) {
  ServingData data;
  data.sources.push_back({.path = "client.jsonl"});
  data.requests = {Done(0, 2, 100), Done(1, 6, 300), Done(3, 12, 900)};
  data.power = {Watts(1, 200), Watts(11, 200)};
  const DeviceEnergy devices(data.power);
  const auto rows = EnergyOf(Analyse(std::move(data)), {}, devices);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].begin, kS);
  EXPECT_EQ(rows[0].duration, 10 * kS);
  EXPECT_DOUBLE_EQ(rows[0].joules, 2000);
  EXPECT_DOUBLE_EQ(rows[0].output_tokens.value(), 400);
  EXPECT_DOUBLE_EQ(rows[0].joules_per_token().value(), 5);
  EXPECT_FALSE(rows[0].idle_pct);
}

// A level counts behind its warm-up; one that devices were not read in has no row.
TEST(Energy, OfLevels) {
  LevelResult first{.level = {.number = 1, .begin = 0}};
  first.warm_up = 2 * kS;
  first.window = 8 * kS;
  first.output_tokens_per_s = 50;
  LevelResult second = first;
  second.level.number = 2;
  second.level.begin = 100 * kS;
  const DeviceEnergy devices = EnergyOfReadings({Watts(0, 300), Watts(20, 300)});
  const auto rows = EnergyOf(Analyse({}), {first, second}, devices);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].part, "level 1");
  EXPECT_EQ(rows[0].begin, 2 * kS);
  EXPECT_DOUBLE_EQ(rows[0].joules, 2400);
  EXPECT_DOUBLE_EQ(rows[0].joules_per_token().value(), 6);
}

}  // namespace
}  // namespace rankscope::serving
