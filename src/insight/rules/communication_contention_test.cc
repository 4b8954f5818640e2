// communication-contention: kernels take longer while their device communicates.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

constexpr std::string_view kShapes = "[[4096,4096],[4096,4096]]";

// Ten products of 100 us; beside a reduction eight more of `us`, and two behind it.
Body BesideAReduction(std::int64_t us, std::string_view shapes_beside = kShapes) {
  return [=](Program& of, int) {
    for (int i = 0; i < 10; ++i) of.Op("aten::mm", "gemm", 100, kShapes);
    of.ExchangesBeside({.name = "allreduce",
                        .in = 10'000'000,
                        .out = 10'000'000,
                        .group = "1",
                        .description = "DATA_PARALLEL_GROUP"},
                       8 * us);
    for (int i = 0; i < 8; ++i) of.Op("aten::mm", "gemm", us, shapes_beside);
    for (int i = 0; i < 2; ++i) of.Op("aten::mm", "gemm", 100, kShapes);
  };
}

// 130 us for 100; 110 would be usual.
TEST(CommunicationContention, ProductsThatTakeLongerBesideAReduction) {
  const Told told = TellOf(BesideAReduction(130));
  ASSERT_TRUE(told.Has("communication-contention")) << told.all;
  EXPECT_NEAR(told.gains.at("communication-contention"), 100 * 160 / told.mean_step, 0.5);
  EXPECT_FALSE(told.Has("low-roofline")) << told.all;
}

TEST(CommunicationContention, ATenthLongerIsUsual) {
  EXPECT_FALSE(TellOf(BesideAReduction(110)).Has("communication-contention"));
  EXPECT_FALSE(TellOf(BesideAReduction(118)).Has("communication-contention"));
}

// That of other inputs takes longer says nothing.
TEST(CommunicationContention, OtherWorkIsNotCompared) {
  EXPECT_FALSE(
      TellOf(BesideAReduction(130, "[[4096,4096],[4096,5325]]")).Has("communication-contention"));
}

}  // namespace
}  // namespace rankscope
