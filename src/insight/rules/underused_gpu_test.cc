// underused-gpu: the device has room for more work.
#include <gtest/gtest.h>

#include "insight/telemetry_program_for_test.h"

namespace rankscope {
namespace {

// Of two ranks whose kernels run for that part of the step: how much of their devices' units is
// active, and of 80 GB used.
Told Devices(double active, double memory, const Body& body = TenProducts(100)) {
  std::vector<MetricSample> samples;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    samples.push_back(SampleOf(rank, "device_sm_active", active));
    samples.push_back(SampleOf(rank, "device_memory_used", memory));
    samples.push_back(SampleOf(rank, "device_memory_total", 80e9));
  }
  return TellOfRanks({body, body}, 6, -1, samples);
}

// Ten products of 100 us run for that part of the step, and three quarters of the device are idle.
TEST(UnderusedGpu, AQuarterIsActive) {
  const Told told = Devices(0.25, 20e9);
  EXPECT_EQ(told.ids, "underused-gpu ");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_EQ(told.method, "bound");
  EXPECT_NEAR(told.gain, 100 * 0.75 * 1000 / told.mean_step, 0.5);
}

TEST(UnderusedGpu, ActiveUnits) {
  EXPECT_EQ(Devices(0.34, 20e9).ids, "underused-gpu ");
  EXPECT_EQ(Devices(0.36, 20e9).ids, "");
}

// 47 and 49 GB of 80.
TEST(UnderusedGpu, NeedsRoomInMemory) {
  EXPECT_EQ(Devices(0.25, 47e9).ids, "underused-gpu ");
  EXPECT_EQ(Devices(0.25, 49e9).ids, "");
}

// Ten products of 15 us of a step of 288: the device waits most of the time.
TEST(UnderusedGpu, DevicesThatWaitAreAnotherMatter) {
  EXPECT_FALSE(Devices(0.25, 20e9, TenProducts(15)).Has("underused-gpu"));
}

}  // namespace
}  // namespace rankscope
