#include <gtest/gtest.h>

#include "op_cost/models/cost_for_test.h"

namespace rankscope {
namespace {

// Two heads, 8 tokens, 4 numbers: forward 2 * 2 * 64 * (4 + 4) = 2048 FLOP and
// 2 bytes * (16 * 8 + 16 * 8) = 512; backward 2 * 2 * 64 * (3 * 4 + 2 * 4) = 5120 and 1024.
// Causal: 36 of 64 pairs, 1152 and 2880.
constexpr std::string_view kHeadsFirst = "[1,2,8,4],[1,2,8,4],[1,2,8,4]";
constexpr std::string_view kTokensFirst = "[1,8,2,4],[1,8,2,4],[1,8,2,4]";

std::string Work(std::string_view op, std::string_view before, std::string_view qkv,
                 std::string_view behind, std::string_view values) {
  const std::string dims = "[" + std::string(before) + std::string(qkv) + std::string(behind) + "]";
  return WorkForTest(op, dims, "Half,Half,Half,Half,Half", values);
}

TEST(Attention, BackwardOfEveryKind) {
  EXPECT_EQ(Work("aten::_scaled_dot_product_efficient_attention_backward", "[1,2,8,4],",
                 kHeadsFirst, ",[],[1,2,8,4],[],[],[],[],[],[]", ";;;;;;;;;0.;[True];False"),
            "5120 1024");
  EXPECT_EQ(Work("aten::_scaled_dot_product_efficient_attention_backward", "[1,2,8,4],",
                 kHeadsFirst, ",[],[1,2,8,4],[],[],[],[],[],[]", ";;;;;;;;;0.;[True];True"),
            "2880 1024");
  EXPECT_EQ(Work("aten::_scaled_dot_product_cudnn_attention_backward", "[1,2,8,4],", kHeadsFirst,
                 ",[1,2,8,4],[],[],[],[],[],[],[],[],[],[]", ";;;;;;;;;;;8;8;0.;True"),
            "2880 1024");
  EXPECT_EQ(Work("aten::_scaled_dot_product_fused_attention_overrideable_backward", "[1,2,8,4],",
                 kHeadsFirst, ",[],[],[],[],[],[],[],[],[],[]", ";;;;;;;;;;8;8;0.;False"),
            "5120 1024");
  EXPECT_EQ(Work("aten::_flash_attention_backward", "[1,8,2,4],", kTokensFirst,
                 ",[1,8,2,4],[],[],[],[],[],[],[]", ";;;;;;;;8;8;0.;True"),
            "2880 1024");
  EXPECT_EQ(Work("aten::_efficient_attention_backward", "[1,8,2,4],", kTokensFirst,
                 ",[],[],[],[],[],[],[],[],[],[],[]", ";;;;;;;;8;8;;0.;;;1"),
            "2880 1024");
  EXPECT_EQ(Work("flash_attn::_flash_attn_backward", "[1,8,2,4],", kTokensFirst,
                 ",[1,8,2,4],[],[],[],[],[],[],[],[],[]", ";;;;;;;;;0.;0.5;True;-1;-1"),
            "2880 1024");
}

TEST(Attention, ForwardOfEveryKind) {
  EXPECT_EQ(Work("aten::_scaled_dot_product_fused_attention_overrideable", "", kHeadsFirst,
                 ",[],[],[]", ";;;;0.;False"),
            "2048 512");
  EXPECT_EQ(Work("aten::_flash_attention_forward", "", kTokensFirst, ",[],[],[],[],[],[]",
                 ";;;;;8;8;0.;True"),
            "1152 512");
  EXPECT_EQ(Work("aten::_efficient_attention_forward", "", kTokensFirst, ",[],[],[],[],[],[],[]",
                 ";;;;;;8;8;0.;0"),
            "2048 512");
  EXPECT_EQ(Work("flash_attn::_flash_attn_forward", "", kTokensFirst, ",[],[],[],[],[]",
                 ";;;0.;0.5;True;-1;-1"),
            "1152 512");
  EXPECT_EQ(Work("FlashAttnFunc", "", kTokensFirst, ",[],[],[],[]", ";;;0.;0.5;False;[-1, -1]"),
            "2048 512");
  // A window of one token to the left: 1 + 7 * 2 = 15 pairs.
  EXPECT_EQ(Work("flash_attn::_flash_attn_forward", "", kTokensFirst, ",[],[],[],[],[]",
                 ";;;0.;0.5;True;1;0"),
            "480 512");
}

TEST(Attention, UnknownWithoutWhatTheWorkHangsOn) {
  EXPECT_EQ(Work("flash_attn::_flash_attn_forward", "", kTokensFirst, ",[],[],[]", ";;;0.;0.5;"),
            "none");
  EXPECT_EQ(Work("FlashAttnFunc", "", kTokensFirst, ",[],[],[],[]", ";;;0.;0.5;True;[128, 0]"),
            "none");
  EXPECT_EQ(Work("aten::_efficient_attention_forward", "", kTokensFirst, ",[],[9],[9],[],[],[],[]",
                 ";;;;;;8;8;0.;0"),
            "none");
  // Keys in pages: nothing says how many of them are used.
  EXPECT_FALSE(HasCostModel("vllm::unified_attention_with_output"));
  EXPECT_EQ(WorkForTest("flash_attn::_flash_attn_varlen_forward",
                        "[[8,2,4],[100,16,2,4],[100,16,2,4],[3],[3],[],[],[],[],[],[],[]]",
                        "Half,Half,Half,int,int", ";;;;;4;90;0.;0.5;True;-1;-1"),
            "none");
}

// Causal from the first key (efficient) and from the last (flash): 1 + 2 and 4 + 5 pairs of one
// head and one number, 4 FLOP each.
TEST(Attention, WhereACausalMaskBegins) {
  constexpr std::string_view kDims = "[[1,1,2,1],[1,1,5,1],[1,1,5,1],[],[],[],[]]";
  EXPECT_EQ(CostForTest("aten::_scaled_dot_product_efficient_attention", kDims, "Half",
                        ";;;;False;0.;True")
                ->flops,
            12);
  EXPECT_EQ(
      CostForTest("aten::_scaled_dot_product_flash_attention", kDims, "Half", ";;;0.;True")->flops,
      36);
}

std::optional<OpCost> Packed(std::string_view bounds, std::string_view longest,
                             std::string_view causal) {
  return CostForTest("flash_attn::_flash_attn_varlen_forward",
                     "[[12,1,4],[12,1,4],[12,1,4],[" + std::string(bounds) + "],[" +
                         std::string(bounds) + "],[],[],[],[],[],[],[]]",
                     "Half,Half,Half,int,int",
                     ";;;;;" + std::string(longest) + ";" + std::string(longest) + ";0.;0.5;" +
                         std::string(causal) + ";-1;-1");
}

// 12 tokens of one head with 4 numbers: 2 * 8 FLOP per pair.
TEST(Attention, SequencesOneBehindTheOther) {
  // One of 12, or three of 4: known.
  EXPECT_EQ(Packed("2", "12", "False")->flops, 16 * 144);
  EXPECT_FALSE(Packed("2", "12", "False")->is_lower_bound);
  EXPECT_EQ(Packed("4", "4", "False")->flops, 16 * 48);
  EXPECT_FALSE(Packed("4", "4", "False")->is_lower_bound);
  // Three, the longest of 6: the others have 3 each, or more pairs: 36 + 9 + 9.
  EXPECT_EQ(Packed("4", "6", "False")->flops, 16 * 54);
  EXPECT_TRUE(Packed("4", "6", "False")->is_lower_bound);
  // Causal: 21 + 6 + 6.
  EXPECT_EQ(Packed("4", "6", "True")->flops, 16 * 33);
  EXPECT_EQ(Packed("4", "6", "True")->bytes, 2 * (12 * 8 + 12 * 8));
  // Three of at most 3 are no 12 tokens.
  EXPECT_FALSE(Packed("4", "3", "True").has_value());
  EXPECT_FALSE(Packed("4", "", "True").has_value());
  // The same backward, 2 * 20 per pair.
  const auto backward = CostForTest(
      "flash_attn::_flash_attn_varlen_backward",
      "[[12,1,4],[12,1,4],[12,1,4],[12,1,4],[12,1,4],[1,12],[],[],[],[4],[4],[],[],[],[],[],[],[]]",
      "Half,Half,Half,Half,Half", ";;;;;;;;;;;6;6;0.;0.5;True;-1;-1");
  ASSERT_TRUE(backward.has_value());
  EXPECT_EQ(backward->flops, 40 * 33);
  EXPECT_TRUE(backward->is_lower_bound);
}

}  // namespace
}  // namespace rankscope
