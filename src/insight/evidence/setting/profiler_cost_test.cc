#include "insight/evidence/setting/profiler_cost.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Fifty times a product and a view, which take the host 30 us and the device 20: it idles a third
// of the step. Recording two ops, one with shapes, and a launch takes 9 us by estimate; without
// that the host takes 21 us and is hardly the later one.
Body OpsProfilerCost(std::int64_t kernel_us) {
  return [=](Program& of, int) {
    for (int i = 0; i < 50; ++i) {
      of.Op("aten::mm", "gemm", kernel_us, "[[8, 8], [8, 8]]");
      of.HostOp("aten::view", 20);
    }
  };
}

TEST(WithoutProfiler, WhatRecordingTakesIsNoCause) {
  const Told told = TellOf(OpsProfilerCost(20));
  ASSERT_FALSE(told.unprofiled.empty()) << told.all;
  double recorded = 0, unprofiled = 0;
  for (const auto& [id, gain] : told.unprofiled) {
    recorded = std::max(recorded, told.gains.at(id));
    unprofiled = std::max(unprofiled, gain);
  }
  EXPECT_GT(recorded, 20) << told.all;
  EXPECT_LT(unprofiled, 10) << told.all;
}

// The device takes longer: the host is ahead as it is, and recording costs nothing.
TEST(WithoutProfiler, WhereDevicesDoNotWaitThereIsNone) {
  EXPECT_TRUE(TellOf(OpsProfilerCost(60)).unprofiled.empty());
}

// It idles a sixth: recording holds it up too little for the verdict, and yet makes the host the
// later one.
TEST(WithoutProfiler, WhatALateHostMakesIsTold) {
  const Told told = TellOf(OpsProfilerCost(25));
  ASSERT_FALSE(told.unprofiled.empty()) << told.all;
  for (const auto& [id, gain] : told.unprofiled) {
    EXPECT_GT(told.gains.at(id), 5) << told.all;
    EXPECT_LT(gain, 1) << told.all;
  }
}

// Kernels that change layouts take half of what the device computes. While recording makes the host
// late (49 us for two ops, where it would take 40), they cost nothing.
TEST(WithoutProfiler, WhatALateHostHidesIsTold) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 50; ++i) {
      of.Op("aten::convolution", "nchwToNhwcKernel", 8, "[[8, 64, 8, 8], [64, 64, 3, 3]]");
      of.Op("aten::convolution", "implicit_gemm", 11, "[[8, 64, 8, 8], [64, 64, 3, 3]]");
    }
  });
  ASSERT_TRUE(told.Has("layout-conversion")) << told.all;
  EXPECT_LT(told.gains.at("layout-conversion"), 1);
  EXPECT_GT(told.unprofiled.at("layout-conversion"), 5);
}

}  // namespace
}  // namespace rankscope
