// Peaks by dtype and unit.
#include "op_cost/peak_flops.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(PeakFlops, ByDtypeAndUnit) {
  const DevicePeaks& a100 = *FindPeaks("NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(PeakFlops(a100, "float", false).value, 19.5e12);
  EXPECT_EQ(PeakFlops(a100, "float", true).value, 156e12);
  EXPECT_EQ(PeakFlops(a100, "c10::Half", true).value, 312e12);
  EXPECT_EQ(PeakFlops(a100, "c10::Float8_e4m3fn", true).value, 0);
  EXPECT_EQ(PeakFlops(a100, "Scalar", true).value, 0);
  // Whole numbers have no peak of FLOPs.
  EXPECT_EQ(PeakFlops(a100, "long int", false).value, 0);
  EXPECT_EQ(PeakFlops(a100, "bool", false).value, 0);
  EXPECT_EQ(PeakFlops(*FindPeaks("NVIDIA H100 80GB HBM3"), "c10::Half", true).confidence,
            Confidence::kHalved);
}

}  // namespace
}  // namespace rankscope
