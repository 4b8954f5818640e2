// double-precision: kernels compute in double.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Eight products and two losses of 600 us each.
Body Losses(std::string_view type, int products = 8) {
  const std::string types = "[\"" + std::string(type) + "\",\"\"]";
  return [=](Program& of, int) {
    of.Products(products);
    for (int i = 0; i < 2; ++i)
      of.Op("aten::_log_softmax", "cunn_SoftMaxForward", 600, "[[4096,16000],[]]", types);
  };
}

TEST(DoublePrecision, WouldTakeHalfInSingle) {
  const Told told = TellOf(Losses("double"));
  EXPECT_TRUE(told.Has("double-precision")) << told.all;
  EXPECT_NEAR(told.gains.at("double-precision"), 100 * 600 / told.mean_step, 0.5);
}

TEST(DoublePrecision, SingleIsNone) {
  EXPECT_FALSE(TellOf(Losses("float")).Has("double-precision"));
}

// Who computes in double throughout needs it, as far as a recording tells.
TEST(DoublePrecision, OfAllComputingIsToldWithLowSeverity) {
  const Told told = TellOf(Losses("double", 1));
  EXPECT_TRUE(told.Has("double-precision")) << told.all;
  EXPECT_EQ((" " + told.ids).find(" double-precision "), std::string::npos) << told.ids;
}

}  // namespace
}  // namespace rankscope
