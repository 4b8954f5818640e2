#include "trace/hlo_name.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

HloRole Role(std::string_view name, std::string_view category = "") {
  return RoleOf(ParseHloName(name), category);
}

TEST(HloName, OfTheWholeText) {
  const HloName fusion = ParseHloName(
      "%broadcast_add_fusion.2 = f32[5,256]{1,0:T(8,128)} fusion(f32[5,256]{1,0:T(8,128)} "
      "%copy-done), kind=kLoop, calls=%fused_computation.2");
  EXPECT_TRUE(fusion.is_text);
  EXPECT_EQ(fusion.stem, "broadcast_add_fusion");
  EXPECT_EQ(fusion.opcode, "fusion");
  EXPECT_EQ(fusion.kind, "kLoop");
  const HloName copy = ParseHloName(
      "%copy-start.1 = (f32[5]{0:T(8)S(5)}, f32[5]{0}, u32[]{:S(2)}) copy-start(f32[5] %a)");
  EXPECT_EQ(copy.opcode, "copy-start");
  const HloName call = ParseHloName(
      "%gemm.3 = (bf16[8], s8[4]) custom-call(%a, %b), custom_call_target=\"__cublas$gemm\"");
  EXPECT_EQ(call.opcode, "custom-call");
  EXPECT_EQ(call.target, "__cublas$gemm");
}

TEST(HloName, OfTheNameAlone) {
  EXPECT_EQ(ParseHloName("%all-reduce-start.12").opcode, "all-reduce-start");
  EXPECT_EQ(ParseHloName("fusion.3.remat2.1").stem, "fusion");
  EXPECT_EQ(ParseHloName("fusion.3.clone").stem, "fusion");
  EXPECT_EQ(ParseHloName("gemm_kernel<a.b>").stem, "gemm_kernel<a.b>");
  EXPECT_FALSE(ParseHloName("fusion.3").is_text);
}

// Cut anywhere, a text has an answer.
TEST(HloName, CutTexts) {
  const std::string whole = "%a.1 = (f32[2]{0}, s8[]) custom-call(%b), custom_call_target=\"x\"";
  for (std::size_t size = 0; size <= whole.size(); ++size)
    EXPECT_LE(ParseHloName(std::string_view(whole).substr(0, size)).stem.size(), whole.size());
}

TEST(HloName, Collectives) {
  for (const std::string op : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all",
                               "collective-permute", "ragged-all-to-all"}) {
    for (const std::string part : {"", "-start", "-done"}) {
      EXPECT_EQ(Role(op + part + ".12"), HloRole::kCollective);
      EXPECT_EQ(Role("%" + op + part), HloRole::kCollective);
      EXPECT_EQ(Role("%x.1 = f32[4]{0} " + op + part + "(f32[4]{0} %fusion.1)"),
                HloRole::kCollective);
    }
  }
  EXPECT_EQ(Role("%all-reduce-scatter.5 = bf16[8]{0} fusion(%a), kind=kCustom"),
            HloRole::kCollective);
  EXPECT_EQ(Role("%fusion.1 = bf16[8]{0} fusion(%a), kind=kCustom", "all-gather fusion"),
            HloRole::kCollective);
  EXPECT_EQ(Role("%send.1 = (f32[4], u32[]) send(%a, %b), channel_id=1"), HloRole::kCollective);
  // An operand, or the name of what another instruction was copied from, makes none.
  EXPECT_EQ(Role("%fusion.1 = bf16[8]{0} fusion(bf16[8]{0} %all-reduce.3), kind=kLoop"),
            HloRole::kCompute);
  EXPECT_EQ(Role("%all-reduce_copy = bf16[8]{0} copy(bf16[8]{0} %all-reduce.3)"),
            HloRole::kCompute);
}

TEST(HloName, OtherRoles) {
  EXPECT_EQ(Role("copy-done.5"), HloRole::kCopy);
  EXPECT_EQ(Role("%slice-start.1 = (f32[2]) async-start(%a)"), HloRole::kCopy);
  EXPECT_EQ(Role("x", "copy-start"), HloRole::kCopy);
  EXPECT_EQ(Role("%copy.5 = f32[2]{0} copy(%a)"), HloRole::kCompute);
  EXPECT_EQ(Role("%while.2 = (s32[], f32[2]) while(%t), condition=%c, body=%b"),
            HloRole::kControlFlow);
  EXPECT_EQ(Role("loop_add_fusion"), HloRole::kCompute);
  EXPECT_EQ(Role(""), HloRole::kCompute);
}

}  // namespace
}  // namespace rankscope
