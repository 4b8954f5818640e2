#include <gtest/gtest.h>

#include "op_cost/models/cost_for_test.h"

namespace rankscope {
namespace {

// 6 rows of 4 in 2 groups, each with a matrix of 4 x 5: 2 * 6 * 5 * 4 = 240 FLOP,
// 2 bytes * (24 + 40 + 30).
TEST(Matmul, GroupsOfRows) {
  EXPECT_EQ(WorkForTest("aten::_grouped_mm", "[[6,4],[2,4,5],[2],[],[]]", "BFloat16,BFloat16,int"),
            "240 188");
  // fp8 in, 16 bits out: 24 + 40 + 2 * 30.
  EXPECT_EQ(WorkForTest("aten::_scaled_grouped_mm", "[[6,4],[2,4,5],[6],[2,5],[2],[],[],[],[]]",
                        "Float8_e4m3fn,Float8_e4m3fn,float,float,int"),
            "240 124");
  EXPECT_EQ(WorkForTest("GroupedGemm", "[[6,4],[2,5,4],[2],[]]", "BFloat16,BFloat16,long int"),
            "240 188");
  EXPECT_EQ(WorkForTest("primus_turbo::grouped_gemm", "[[6,4],[2,4,5],[2],[3],[],[]]",
                        "BFloat16,BFloat16,long int,long int"),
            "240 188");
}

TEST(Matmul, OtherDimensionsThatGroupsDivide) {
  // What is summed over: [3, 6] [6, 5] in 2 groups gives two of 3 x 5: 2 * 3 * 5 * 6 FLOP.
  EXPECT_EQ(WorkForTest("aten::_grouped_mm", "[[3,6],[6,5],[2]]", "Half,Half,int"), "180 156");
  // Its form for gradients of weights has the first transposed.
  EXPECT_EQ(WorkForTest("primus_turbo::grouped_gemm_variable_k", "[[6,3],[6,5],[2],[3]]",
                        "Half,Half,long int,long int"),
            "180 156");
  // Columns: two of [3, 4] with [4, 6]: 2 * 3 * 6 * 4; 2 bytes * (24 + 24 + 18).
  EXPECT_EQ(WorkForTest("aten::_grouped_mm", "[[2,3,4],[4,6],[2]]", "Half,Half,int"), "144 132");
  // None: two products.
  EXPECT_EQ(WorkForTest("aten::_grouped_mm", "[[2,3,4],[2,4,5],[]]", "Half,Half"), "240 188");
  EXPECT_EQ(WorkForTest("aten::_grouped_mm", "[[6,4],[2,4,5],[]]", "Half,Half"), "none");
  EXPECT_EQ(WorkForTest("aten::_grouped_mm", "[[6,4],[2,4,5],[3]]", "Half,Half,int"), "none");
  EXPECT_EQ(WorkForTest("GroupedGemm", "[[6,4],[2,5,7],[2]]", "Half,Half,int"), "none");
}

TEST(Matmul, TransformerEngine) {
  // d [3, 5] of a [5, 4], b [3, 4]: 2 * 15 * 4; bytes recorded for fp8: 20 + 12 + 2 * 15.
  constexpr std::string_view kDims = "[[5,4],[1],[],[],[],[3,4],[1],[],[],[],[3,5]]";
  const auto cost = CostForTest("tex_ts::te_gemm_ts", kDims,
                                "unsigned char,float,,,,unsigned char,float,,,,BFloat16");
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->flops, 120);
  EXPECT_EQ(cost->bytes, 62);
  EXPECT_EQ(cost->dtype, "c10::Float8_e4m3fn");
  EXPECT_EQ(WorkForTest("tex_ts::te_gemm_ts", "[[5,4],[1],[],[],[],[3,4],[1],[],[],[],[3,6]]",
                        "Half,float,,,,Half,float,,,,Half"),
            "none");
}

TEST(Matmul, FactorsOfTwoDtypes) {
  const auto cost = CostForTest("aten::mm", "[[3,4],[4,5]]", "BFloat16,float");
  EXPECT_EQ(cost->dtype, "float");
  EXPECT_EQ(cost->bytes, 2 * 12 + 4 * 20 + 4 * 15);
  // int8: sums of 32 bits.
  EXPECT_EQ(WorkForTest("aten::_int_mm", "[[3,4],[4,5]]", "signed char,signed char"), "120 92");
}

TEST(Matmul, FusedExperts) {
  // 4 tokens of 8, 2 of 4 experts each, inner size 16 with a gate:
  // 2 * 4 * 8 * 16 * 2 * 3 + 4 * 8 * 3 = 6240. Four choices of half of the experts touch
  // 4 (1 - 1/16) = 3.75: 2 * 2 * 32 + 2 * 3.75 * 8 * 16 * 3.
  constexpr std::string_view kTypes = "BFloat16,BFloat16,BFloat16,float,int";
  for (const char* op : {"vllm::outplace_fused_experts", "sglang::inplace_fused_experts"}) {
    EXPECT_EQ(WorkForTest(op, "[[4,8],[4,32,8],[4,8,16],[4,2],[4,2]]", kTypes), "6240 3008") << op;
  }
  // Without a gate two products.
  EXPECT_EQ(WorkForTest("aiter::fused_moe_", "[[4,8],[4,16,8],[4,8,16],[4,2],[4,2]]", kTypes),
            "4192 2048");
  // Packed to 4 bits: the shapes do not fit.
  EXPECT_EQ(WorkForTest("aiter::fused_moe_", "[[4,8],[4,32,4],[4,8,8],[4,2],[4,2]]", kTypes),
            "none");
  EXPECT_FALSE(HasCostModel("vllm::moe_forward"));
}

TEST(Convolution, CausalFiltersOfChannels) {
  // 2 * 2 * 3 * 10 * 4 + bias of 60; 4 bytes * (2 * 60 + 12 + 3).
  EXPECT_EQ(WorkForTest("DaoAILab::_causal_conv1d_fwd_cpp", "[[2,3,10],[3,4],[3],[],[],[],[],[]]",
                        "float,float,float"),
            "540 540");
}

}  // namespace
}  // namespace rankscope
