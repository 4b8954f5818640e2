// layout-conversion: kernels that change layouts, or pad, around convolutions.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

Body Convolutions(std::string_view around, std::int64_t us) {
  return [=](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      if (us > 0) of.Op("aten::convolution", around, us, "[[64,93,64,64],[93,93,3,3]]");
      of.Op("aten::convolution", "sm90_xmma_fprop_implicit_gemm", 200,
            "[[64,93,64,64],[93,93,3,3]]");
    }
  };
}

TEST(LayoutConversion, GainsItsKernels) {
  const Told told = TellOf(Convolutions("cudnn::engines_precompiled::nchwToNhwcKernel", 60));
  EXPECT_TRUE(told.Has("layout-conversion")) << told.all;
  EXPECT_NEAR(told.gains.at("layout-conversion"), 100 * 8 * 60 / told.mean_step, 0.5);
  EXPECT_EQ(told.first(), "layout-conversion");
  EXPECT_NE(told.title.find("8 kernels a step that change the layout of their tensors, 480 us"),
            std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("channels_last"), std::string::npos) << told.change;
}

TEST(LayoutConversion, PaddingNamesTheChannels) {
  const Told told = TellOf(Convolutions("nhwcAddPaddingKernel", 60));
  EXPECT_NE(told.title.find("that pad their channels"), std::string::npos) << told.title;
  EXPECT_NE(told.change.find("96 in place of 93"), std::string::npos) << told.change;
}

// A host that comes late stays so: what it does before a conversion belongs to the op, and only the
// last conversion of a step holds up its end.
TEST(LayoutConversion, GainsNothingOfALateHost) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Idles(100);
      of.Op("aten::convolution", "nchwToNhwcKernel", 30, "[[8,64,8,8],[64,64,3,3]]");
      of.Op("aten::convolution", "sm90_xmma_fprop_implicit_gemm", 20, "[[8,64,8,8],[64,64,3,3]]");
    }
  });
  EXPECT_LE(told.gains.at("layout-conversion") / 100 * told.mean_step, 30) << told.all;
}

TEST(LayoutConversion, LittleIsNone) {
  EXPECT_FALSE(TellOf(Convolutions("nchwToNhwcKernel", 1)).Has("layout-conversion"));
}

}  // namespace
}  // namespace rankscope
