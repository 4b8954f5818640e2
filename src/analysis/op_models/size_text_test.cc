#include "analysis/op_models/size_text.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

std::string Of(double flops, double bytes) { return SizeText({.flops = flops, .bytes = bytes}); }

TEST(SizeText, TwoDigitsAndAPrefix) {
  EXPECT_EQ(Of(8'589'934'592, 33'554'432), "8.6 GFLOP, 34 MB");
  EXPECT_EQ(Of(0, 4), "0 FLOP, 4.0 B");
  EXPECT_EQ(Of(99'400, 99'600), "99 kFLOP, 100 kB");
  EXPECT_EQ(Of(994'000, 995'001), "990 kFLOP, 1.0 MB");
  EXPECT_EQ(Of(1e21, 12e18), "1000 EFLOP, 12 EB");
}

}  // namespace
}  // namespace rankscope
