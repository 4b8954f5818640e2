// low-roofline: matrix products far below what the device can do.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// 2 x 1024^3 FLOPs at 312 TFLOP/s take 6.883 us.
Body ProductsLowRoofline(int fast, std::int64_t slow_us) {
  return [=](Program& of, int) {
    for (int i = 0; i < 10; ++i)
      of.Op("aten::mm", "ampere_bf16_s16816gemm_128x64", i < fast ? 14 : slow_us,
            "[[1024,1024],[1024,1024]]");
  };
}

// Six in ten products reach half of the roof, the others, of the same shapes, a tenth of it.
TEST(LowRoofline, FourInTenProducts) {
  const Told told = TellOf(ProductsLowRoofline(6, 69));
  EXPECT_EQ(told.ids, "low-roofline ");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_EQ(told.steps, "1-5");
  EXPECT_TRUE(told.places.starts_with(R"([{"op":"aten::mm")")) << told.places;
  EXPECT_NEAR(told.gain, 100 * 4 * (69 - 2 * 6.883) / told.mean_step, 0.5);
}

// Products of one rank alone are that slow: a matter of the rank, not of the products.
TEST(LowRoofline, OfOneRankIsNone) {
  const Body usual = ProductsLowRoofline(10, 0);
  const Told told = TellOfRanks({usual, usual, usual, ProductsLowRoofline(6, 69)});
  EXPECT_FALSE(told.Has("low-roofline")) << told.all;
}

// 17 us are 40.5 % of the roof, 18 are 38.2.
TEST(LowRoofline, BeginsBelow40PercentOfTheRoof) {
  EXPECT_EQ(TellOf(ProductsLowRoofline(0, 17)).ids, "");
  EXPECT_TRUE(TellOf(ProductsLowRoofline(0, 18)).Has("low-roofline"));
}

// All reach a tenth of the roof, as far as anybody knows all that this device can do with them:
// told with low severity. A larger product that is faster says nothing of these.
TEST(LowRoofline, WhatNoLikeProductShowsIsNoAlarm) {
  const Told alike = TellOf(ProductsLowRoofline(0, 69));
  EXPECT_EQ(alike.ids, "");
  EXPECT_EQ(alike.first(), "");
  ASSERT_TRUE(alike.Has("low-roofline")) << alike.all;
  EXPECT_NEAR(alike.gain, 100 * 10 * (69 - 2 * 6.883) / alike.mean_step, 0.5);
  const Told larger = TellOf([](Program& of, int) {
    for (int i = 0; i < 10; ++i) {
      of.Op("aten::mm", "ampere_bf16_s16816gemm_128x64", 69, "[[1024,1024],[1024,1024]]");
      of.Op("aten::mm", "ampere_bf16_s16816gemm_256x128", 900, "[[4096,4096],[4096,4096]]");
    }
  });
  EXPECT_EQ(larger.ids, "");
  EXPECT_TRUE(larger.Has("low-roofline")) << larger.all;
}

// Beside a cause that is known it stands last, though it would gain more.
TEST(LowRoofline, StandsBehindWhatIsKnown) {
  const auto body = [](Program& of, int) {
    of.Frame("train.py(9): tokenize", [&] { of.Idles(300); });
    for (int i = 0; i < 10; ++i)
      of.Op("aten::mm", "ampere_bf16_s16816gemm_128x64", 69, "[[1024,1024],[1024,1024]]");
  };
  const Told told = TellOf(body);
  EXPECT_EQ(told.all, "host-work low-roofline ");
  EXPECT_GT(told.gains.at("low-roofline"), told.gains.at("host-work"));
}

Body SlowOf(std::string_view shapes) {
  return [=](Program& of, int) {
    for (int i = 0; i < 10; ++i) of.Op("aten::mm", "cutlass_80_tensorop_s16816gemm", 400, shapes);
  };
}

// Multiples are advised where sizes are none.
TEST(LowRoofline, NamesTheSizeToPad) {
  const Told odd = TellOf(SlowOf("[[4096,1024],[1024,1001]]"));
  EXPECT_EQ(odd.ids, "low-roofline ");
  EXPECT_TRUE(odd.change.starts_with("Pad 1001 (aten::mm) to 1024, a multiple of 64. "))
      << odd.change;
  const Told even = TellOf(SlowOf("[[4096,1024],[1024,1024]]"));
  EXPECT_TRUE(even.Has("low-roofline"));
  EXPECT_EQ(even.change.find("multiple"), std::string::npos) << even.change;
}

// How much work it is, nobody knows.
TEST(LowRoofline, NeedsShapes) {
  EXPECT_EQ(TellOf([](Program& of, int) {
              for (int i = 0; i < 10; ++i) of.Op("aten::mm", "ampere_bf16_s16816gemm_128x64", 69);
            }).ids,
            "");
}

}  // namespace
}  // namespace rankscope
