// The table of devices, against their vendors' documents.
#include "peaks/device_peaks.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace rankscope {
namespace {

// All links of a device, in one direction; cards on PCIe have none that a trace tells of.
TEST(FindPeaks, Links) {
  const std::pair<std::string_view, double> expected[] = {{"Tesla V100-SXM2-16GB", 150e9},
                                                          {"Tesla V100-PCIE-16GB", 0},
                                                          {"NVIDIA A100-SXM4-40GB", 300e9},
                                                          {"NVIDIA A100-SXM4-80GB", 300e9},
                                                          {"NVIDIA A100-PCIE-40GB", 0},
                                                          {"NVIDIA A100 80GB PCIe", 0},
                                                          {"NVIDIA A800-SXM4-80GB", 200e9},
                                                          {"NVIDIA H100 80GB HBM3", 450e9},
                                                          {"NVIDIA H100 PCIe", 0},
                                                          {"NVIDIA H800", 200e9},
                                                          {"NVIDIA H800 PCIe", 0},
                                                          {"NVIDIA H200", 450e9},
                                                          {"NVIDIA B200", 900e9},
                                                          {"NVIDIA GB200", 900e9},
                                                          {"NVIDIA B300 SXM6 AC", 900e9},
                                                          {"NVIDIA H20", 450e9},
                                                          {"AMD Instinct MI300X", 448e9},
                                                          {"AMD Instinct MI355X", 537.6e9},
                                                          {"AMD Instinct MI250X", 0},
                                                          {"Tesla T4", 0},
                                                          {"NVIDIA L40S", 0}};
  for (const auto& [device, link] : expected)
    EXPECT_EQ(FindPeaks(device)->link.value, link) << device;
}

TEST(FindPeaks, WhatIsMoreParticularWins) {
  EXPECT_EQ(FindPeaks("NVIDIA H100 80GB HBM3")->memory.value, 3350e9);
  EXPECT_EQ(FindPeaks("NVIDIA H100 PCIe")->memory.value, 2000e9);
  EXPECT_EQ(FindPeaks("NVIDIA A100-SXM4-40GB")->memory.value, 1555e9);
  EXPECT_EQ(FindPeaks("NVIDIA A100-SXM4-80GB")->memory.value, 2039e9);
  EXPECT_EQ(FindPeaks("AMD Instinct MI300X")->vector_32.value, 163.4e12);
  // Names that hold another device's.
  EXPECT_EQ(FindPeaks("NVIDIA GH200 480GB")->memory.value, 4000e9);
  EXPECT_EQ(FindPeaks("NVIDIA H200 NVL")->vector_32.value, 60e12);
  EXPECT_EQ(FindPeaks("NVIDIA H200")->memory.value, 4800e9);
  EXPECT_EQ(FindPeaks("NVIDIA GB200")->matrix_16.value, 2500e12);
  EXPECT_EQ(FindPeaks("NVIDIA B200")->matrix_16.value, 2250e12);
  EXPECT_EQ(FindPeaks("AMD Instinct MI250X")->matrix_16.value, 191.5e12);
  EXPECT_EQ(FindPeaks("AMD Instinct MI250")->matrix_16.value, 181e12);
  EXPECT_EQ(FindPeaks("AMD Instinct MI250X / MI250")->matrix_16.value, 191.5e12);
  EXPECT_EQ(FindPeaks("NVIDIA GB300")->matrix_16.value, 2500e12);
  EXPECT_EQ(FindPeaks("NVIDIA B300 SXM6 AC")->vector_64.value, 1.25e12);
  EXPECT_EQ(FindPeaks("NVIDIA H20")->matrix_16.value, 148e12);
  EXPECT_EQ(FindPeaks("NVIDIA H20-3e")->memory.value, 4800e9);
  EXPECT_EQ(FindPeaks("NVIDIA L4")->memory.value, 300e9);
  EXPECT_EQ(FindPeaks("NVIDIA L40S")->memory.value, 864e9);
  EXPECT_EQ(FindPeaks("NVIDIA GeForce RTX 4090")->matrix_16.value, 165.2e12);
  EXPECT_EQ(FindPeaks("AMD Instinct MI350X")->matrix_8.value, 4613.7e12);
  EXPECT_EQ(FindPeaks("AMD Instinct MI355X")->vector_32.value, 157.3e12);
  // Other devices whose names begin alike.
  EXPECT_EQ(FindPeaks("NVIDIA L40"), nullptr);
  EXPECT_EQ(FindPeaks("NVIDIA H20Z"), nullptr);
  EXPECT_EQ(FindPeaks("NVIDIA T400 4GB"), nullptr);
  EXPECT_EQ(FindPeaks("Some other device"), nullptr);
  EXPECT_EQ(FindPeaks(""), nullptr);
}

TEST(AllPeaks, EveryEntryCanBeFoundAndSaysWhereItIsFrom) {
  for (const DevicePeaks& peaks : AllPeaks()) {
    EXPECT_EQ(FindPeaks(peaks.pattern), &peaks) << peaks.pattern;
    EXPECT_FALSE(peaks.source.empty());
    EXPECT_GT(peaks.matrix_16.value, peaks.vector_32.value) << peaks.pattern;
    EXPECT_GT(peaks.memory.value, 0) << peaks.pattern;
    // Half of what is stated with sparsity, to a per cent, where the clock is derived from it.
    if (peaks.clock.confidence == Confidence::kDerived) {
      EXPECT_NEAR(132 * 4096 * peaks.clock.value / peaks.matrix_16.value, 1, 0.01) << peaks.pattern;
    }
  }
}

}  // namespace
}  // namespace rankscope
