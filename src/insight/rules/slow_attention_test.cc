// slow-attention: fused attention far below what the device could do.
#include <fmt/core.h>
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

// Ten products of 100 us and attention of 1 ms by such a kernel, of whose mask nothing is recorded.
Body AttendsBy(std::string_view kernel, std::string_view mask = "[]") {
  return [=](Program& of, int) {
    of.Products(10);
    of.Op("aten::_efficient_attention_forward", kernel, 1000,
          fmt::format("[[2,16,4096,128],[2,16,4096,128],[2,16,4096,128],{}]", mask),
          R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16",""])");
  };
}

std::string TellsOn(std::string_view device, const Body& body) {
  JobForTest job;
  Program program;
  for (int step = 0; step < 6; ++step) program.Step(step, [&](Program& of) { body(of, step); });
  job.Add(0, program.Build(-1, device));
  const Table findings = job.Run(FindingsAnalysis());
  for (std::size_t row = 0; row < findings.row_count(); ++row) {
    if (std::get<std::string_view>(Cell(findings, row, "id")) == "slow-attention")
      return fmt::format("{} {:.0f}", std::get<std::string_view>(Cell(findings, row, "severity")),
                         std::get<double>(Cell(findings, row, "gain_pct")));
  }
  return "";
}

// On an A100 a third of 1000 us of a step of 2.13 ms, on an H100 half of it. The memory-efficient
// kernel is all that older devices have, and whether a mask can go is not known.
TEST(SlowAttention, MemoryEfficientKernels) {
  constexpr std::string_view kKernel = "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(Params)";
  EXPECT_EQ(TellsOn("NVIDIA A100-SXM4-80GB", AttendsBy(kKernel)), "high 16");
  EXPECT_EQ(TellsOn("NVIDIA H100 80GB HBM3", AttendsBy(kKernel)), "high 23");
  EXPECT_EQ(TellsOn("NVIDIA H100 80GB HBM3", AttendsBy(kKernel, "[2,16,4096,4096]")), "low 23");
  EXPECT_EQ(TellsOn("Tesla V100-SXM2-32GB", AttendsBy(kKernel)), "");
  EXPECT_EQ(TellsOn("NVIDIA H100 80GB HBM3", AttendsBy("flash_fwd_kernel")), "");
}

TEST(SlowAttention, IsNotOfFp32) {
  EXPECT_FALSE(TellOf(Attends(8000, "float")).Has("slow-attention"));
}

}  // namespace
}  // namespace rankscope
