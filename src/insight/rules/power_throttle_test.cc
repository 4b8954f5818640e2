// power-throttle: clocks of devices are held down.
#include <gtest/gtest.h>

#include "insight/telemetry_program_for_test.h"

namespace rankscope {
namespace {

TEST(PowerThrottle, ASlowDeviceWhoseClockIsHeldDown) {
  const Told told =
      TellOfRanks(OneSlowDevice(), 6, -1,
                  {SampleOf(0, "device_sm_clock", 1.41e9), SampleOf(1, "device_sm_clock", 1.41e9),
                   SampleOf(2, "device_sm_clock", 1.41e9), SampleOf(3, "device_sm_clock", 1.08e9),
                   SampleOf(3, "device_slowed_hardware_thermal", 1),
                   SampleOf(0, "device_slowed_hardware_thermal", 0)});
  EXPECT_EQ(told.ids, "power-throttle ");
  EXPECT_EQ(told.ranks, "3");
  EXPECT_EQ(told.title,
            "heat (hardware) holds down the clock of rank 3: its device runs the same kernels "
            "1.30x slower than its peers");
  // Every step of all ranks is that of rank 3: ten products of 130 us in place of 100.
  EXPECT_NEAR(told.gain, 100 * 300 / told.mean_step, 0.5);
}

// Without clocks a reason that most of the others do not have tells it; in less than half of the
// samples it does not.
TEST(PowerThrottle, ByTheReasonAlone) {
  const auto told = [](double in_one, double in_other) {
    return TellOfRanks(OneSlowDevice(), 6, -1,
                       {SampleOf(3, "device_slowed_power_brake", in_one),
                        SampleOf(3, "device_slowed_power_brake", in_other)})
        .ids;
  };
  EXPECT_EQ(told(1, 0), "power-throttle ");
  EXPECT_EQ(told(0.9, 0), "slow-gpu ");
}

// All devices at three quarters of their clock: ten products of 100 us could take 75.
Told AllAt(double hz, std::string_view reason) {
  std::vector<MetricSample> samples;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    samples.push_back(SampleOf(rank, "device_sm_clock", hz));
    samples.push_back(SampleOf(rank, "device_sm_clock_max", 1.40e9));
    samples.push_back(SampleOf(rank, reason, 1));
  }
  return TellOfRanks({TenProducts(100), TenProducts(100)}, 6, -1, samples);
}

TEST(PowerThrottle, AllDevicesAreHeldDown) {
  const Told told = AllAt(1.05e9, "device_slowed_software_thermal");
  EXPECT_EQ(told.ids, "power-throttle ");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_EQ(told.method, "estimate");
  EXPECT_NEAR(told.gain, 100 * 250 / told.mean_step, 0.5);
  EXPECT_EQ(told.title,
            "heat (driver) holds down the clocks of all ranks, which could be x1.33 as fast");
}

// A device under full load is at its power cap: no alarm.
TEST(PowerThrottle, ThePowerCapOfAllIsOrdinary) {
  EXPECT_EQ(AllAt(1.05e9, "device_slowed_software_power_cap").ids, "");
}

// 98 and 96 % of the clock.
TEST(PowerThrottle, NearlyFullClocks) {
  EXPECT_FALSE(AllAt(1.372e9, "device_slowed_software_thermal").Has("power-throttle"));
  EXPECT_TRUE(AllAt(1.344e9, "device_slowed_software_thermal").Has("power-throttle"));
}

}  // namespace
}  // namespace rankscope
