// low-bandwidth: kernels that move memory far below its bandwidth.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// 64 x 64 x 56 x 56 floats are read and written: 102.8 MB, 50.4 us at 2,039 GB/s.
constexpr double kLowBandwidthRoofUs = 50.4;

Body Norms(std::int64_t us, std::string_view op = "aten::native_batch_norm") {
  return [=](Program& of, int) {
    for (int i = 0; i < 4; ++i) of.Op(op, "norm", us, "[[64,64,56,56],[64]]");
    of.Products(8);
  };
}

TEST(LowBandwidth, WhatATenthOfTheBandwidthCosts) {
  const Told told = TellOf(Norms(504));
  EXPECT_EQ(told.ids, "low-bandwidth ");
  EXPECT_NEAR(told.gain, 100 * 4 * (504 - kLowBandwidthRoofUs / 0.25) / told.mean_step, 0.5);
  EXPECT_NE(told.title.find("take 2.02 ms a step and reach 10.0% of the device's bandwidth, all of "
                            "aten::native_batch_norm"),
            std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("channels_last"), std::string::npos) << told.change;
}

// 335 us are 15.04 % of the bandwidth, 338 are 14.91.
TEST(LowBandwidth, BeginsBelow15Percent) {
  EXPECT_EQ(TellOf(Norms(335)).ids, "");
  EXPECT_EQ(TellOf(Norms(338)).ids, "low-bandwidth ");
}

// Kernels that short are launched, read their arguments and end.
TEST(LowBandwidth, IsNotOfShortKernels) {
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 for (int i = 0; i < 40; ++i)
                   of.Op("aten::native_batch_norm", "norm", 45, "[[16,64,28,28],[64]]");
                 of.Products(8);
               }).Has("low-bandwidth"));
}

// Rows come from all over memory.
TEST(LowBandwidth, IsNotOfPicks) {
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 for (int i = 0; i < 4; ++i)
                   of.Op("aten::index_select", "gather", 1000, "[[2000000,64],[],[2000000]]");
                 of.Products(8);
               }).Has("low-bandwidth"));
}

// Copies are told by redundant-copies.
TEST(LowBandwidth, IsNotOfCopies) {
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 for (int i = 0; i < 4; ++i)
                   of.Op("aten::copy_", "direct_copy_kernel_cuda", 1000,
                         "[[64,64,56,56],[64,64,56,56]]");
                 of.Products(8);
               }).Has("low-bandwidth"));
}

TEST(LowBandwidth, IsOfElementwiseWork) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 4; ++i) {
      of.Op("aten::add", "elementwise_kernel", 600, "[[64,64,56,56],[64,64,56,56]]");
      of.Products(8);
    }
  });
  EXPECT_TRUE(told.Has("low-bandwidth"));
  EXPECT_NE(told.change.find("contiguous inputs"), std::string::npos) << told.change;
}

TEST(LowBandwidth, IsNotOfOpsOfUnknownBytes) {
  EXPECT_FALSE(TellOf(Norms(504, "my::norm")).Has("low-bandwidth"));
}

}  // namespace
}  // namespace rankscope
