// slow-attention: fused attention far below what the device could do.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// 8 sequences of 2,048 tokens in 16 heads of 64: 4 x 8 x 16 x 2048^2 x 64 FLOPs take an A100 at
// 312 TFLOP/s 440.5 us.
constexpr double kSlowAttentionRoofUs = 4.0 * 8 * 16 * 2048 * 2048 * 64 / 312e6;

void Attend(Program& of, std::int64_t us, std::string_view kernel = "flash_fwd_kernel",
            std::string_view type = "c10::BFloat16") {
  const std::string quoted = "\"" + std::string(type) + "\"";
  of.Op("aten::_scaled_dot_product_flash_attention", kernel, us,
        "[[8,16,2048,64],[8,16,2048,64],[8,16,2048,64],[],[]]",
        "[" + quoted + "," + quoted + "," + quoted + ",\"Scalar\",\"Scalar\"]",
        R"(["","","","0.","False"])");
}

Body Attends(std::int64_t us, std::string_view type = "c10::BFloat16") {
  return [=](Program& of, int) {
    of.Products(20);
    Attend(of, us, "flash_fwd_kernel", type);
  };
}

// Nothing shows that it could be faster: low.
TEST(SlowAttention, LessThanATenthOfTheRoof) {
  const Told told = TellOf(Attends(8000));
  ASSERT_TRUE(told.Has("slow-attention")) << told.all;
  EXPECT_EQ(told.ids.find("slow-attention"), std::string::npos) << told.ids;
  EXPECT_NEAR(told.gains.at("slow-attention"),
              100 * (8000 - kSlowAttentionRoofUs / 0.2) / told.mean_step, 0.5);
}

TEST(SlowAttention, BeginsAtATenth) {
  EXPECT_TRUE(TellOf(Attends(4500)).Has("slow-attention"));
  EXPECT_FALSE(TellOf(Attends(4300)).Has("slow-attention"));
}

// Half of it is fast: so the other could be.
TEST(SlowAttention, AsFastAsOtherAttentionOfTheJob) {
  const Told told = TellOf([](Program& of, int) {
    of.Products(20);
    Attend(of, 1000);
    Attend(of, 8000);
  });
  EXPECT_EQ(told.first(), "slow-attention") << told.all;
  EXPECT_NEAR(told.gain, 100 * 7000 / told.mean_step, 0.5);
}

TEST(SlowAttention, IsNotOfFp32) {
  EXPECT_FALSE(TellOf(Attends(8000, "float")).Has("slow-attention"));
}

}  // namespace
}  // namespace rankscope
