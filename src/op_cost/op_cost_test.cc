#include "op_cost/op_cost.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

std::optional<OpCost> Cost(std::string_view op, std::string_view dims, std::string_view types,
                           std::string_view concrete = "") {
  const auto inputs = ParseInputs(dims, types, concrete);
  return inputs ? CostOf(op, *inputs) : std::nullopt;
}

constexpr std::string_view kBf16 = R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16"])";

TEST(ParseInputs, TensorsScalarsAndLists) {
  const auto inputs = ParseInputs("[[8, 4], [], [[2, 2], [3]]]",
                                  R"(["float", "Scalar", "TensorList"])", R"(["", "1", ""])");
  ASSERT_TRUE(inputs.has_value());
  ASSERT_EQ(inputs->size(), 3U);
  EXPECT_EQ((*inputs)[0].shape(), (Shape{8, 4}));
  EXPECT_EQ((*inputs)[0].dtype, "float");
  EXPECT_FALSE((*inputs)[1].is_tensor());
  EXPECT_EQ((*inputs)[1].value, "1");
  EXPECT_EQ((*inputs)[2].shapes.size(), 2U);
  EXPECT_FALSE((*inputs)[2].is_tensor());
}

TEST(ParseInputs, RefusesWhatIsNoListOfShapes) {
  for (const char* text : {"", "[", "[[1, 2]", "[[1,]]", "[[-1]]", "[[1.5]]", "[1]", "{}", "[[[1]"})
    EXPECT_FALSE(ParseInputs(text, "", "").has_value()) << text;
  EXPECT_TRUE(ParseInputs("[]", "", "").has_value());
  // Types that cannot be read leave the shapes.
  EXPECT_EQ(ParseInputs("[[2]]", "[\"float", "")->front().dtype, "");
}

TEST(OpCost, Matmuls) {
  // By hand: 2 * 3 * 5 * 4 and 2 bytes * (3 * 4 + 4 * 5 + 3 * 5).
  const auto mm = Cost("aten::mm", "[[3, 4], [4, 5]]", kBf16);
  ASSERT_TRUE(mm.has_value());
  EXPECT_EQ(mm->flops, 120);
  EXPECT_EQ(mm->bytes, 94);
  EXPECT_FALSE(mm->fits_matrix_cores);
  // As published for this shape: 51.58155 GFLOP and 71.0078125 MiB.
  const auto large = Cost("aten::mm", "[[8944, 1024], [1024, 2816]]", kBf16);
  EXPECT_EQ(large->flops, 51581550592);
  EXPECT_EQ(large->bytes, 71.0078125 * 1024 * 1024);
  EXPECT_TRUE(large->fits_matrix_cores);
  const auto addmm = Cost("aten::addmm", "[[768], [788, 768], [768, 768], [], []]", kBf16);
  EXPECT_EQ(addmm->flops, 930167808);
  EXPECT_EQ(addmm->bytes, 3601920);
  const auto bmm = Cost("aten::bmm", "[[2, 3, 4], [2, 4, 5]]", kBf16);
  EXPECT_EQ(bmm->flops, 240);
  EXPECT_EQ(bmm->bytes, 188);
}

TEST(OpCost, MatmulsThatSayTooLittleHaveNone) {
  EXPECT_FALSE(Cost("aten::mm", "[[3, 4], [5, 5]]", kBf16).has_value());
  EXPECT_FALSE(Cost("aten::mm", "[[3, 4]]", kBf16).has_value());
  EXPECT_FALSE(Cost("aten::mm", "[[3, 4], [4, 5]]", "").has_value());
  EXPECT_FALSE(Cost("aten::bmm", "[[2, 3, 4], [3, 4, 5]]", kBf16).has_value());
  EXPECT_FALSE(Cost("aten::unheard_of", "[[3, 4], [4, 5]]", kBf16).has_value());
}

TEST(OpCost, Convolutions) {
  constexpr std::string_view kTypes =
      R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "ScalarList"])";
  // A patch embedding: 16 x 16 patches of 224 x 224; with a bias of 768.
  const auto conv = Cost(
      "aten::convolution", "[[4, 3, 224, 224], [768, 3, 16, 16], [768], [], [], [], [], [], []]",
      kTypes, R"(["", "", "", "[16, 16]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"])");
  ASSERT_TRUE(conv.has_value());
  const double out = 4.0 * 768 * 14 * 14;
  EXPECT_EQ(conv->flops, 2 * out * 3 * 16 * 16 + out);
  EXPECT_EQ(conv->bytes, 2 * (4.0 * 3 * 224 * 224 + 768 * 3 * 256 + out + 768));
  // Depthwise, padded: 8 groups, 8 * 5 * 5 outputs of 9 products each.
  const auto depthwise =
      Cost("aten::convolution", "[[1, 8, 5, 5], [8, 1, 3, 3], [], [], [], [], [], [], []]", kTypes,
           R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "8"])");
  EXPECT_EQ(depthwise->flops, 2.0 * 200 * 9);
  // Transposed: every input meets every weight of its channel: 2 * |x| * Cout * k * k.
  const auto transposed =
      Cost("aten::convolution", "[[1, 4, 3, 3], [4, 2, 2, 2], [], [], [], [], [], [], []]", kTypes,
           R"(["", "", "", "[2, 2]", "[0, 0]", "[1, 1]", "True", "[0, 0]", "1"])");
  EXPECT_EQ(transposed->flops, 2.0 * 36 * 8);
  EXPECT_EQ(transposed->bytes, 2.0 * (36 + 32 + 2 * 6 * 6));
}

TEST(OpCost, ConvolutionBackwardCountsTheGradientsThatAreWanted) {
  const auto cost = [](std::string_view mask) {
    return Cost(
        "aten::convolution_backward",
        "[[1, 2, 4, 4], [1, 3, 4, 4], [2, 3, 3, 3], [], [], [], [], [], [], [], []]",
        R"(["float", "float", "float"])",
        std::string(R"(["","","","[2]","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1",")") +
            std::string(mask) + R"("])");
  };
  const double one = 2.0 * 32 * 27;
  EXPECT_EQ(cost("[True, True, True]")->flops, 2 * one);
  EXPECT_EQ(cost("[False, True, True]")->flops, one);
  EXPECT_EQ(cost("[False, True, True]")->bytes, 4.0 * (32 + 48 + 54 + 54));
}

TEST(OpCost, Attention) {
  constexpr std::string_view kTypes =
      R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar"])";
  constexpr std::string_view kDims =
      "[[4, 12, 197, 64], [4, 12, 197, 64], [4, 12, 197, 64], [], [], [], []]";
  const auto full = Cost("aten::_scaled_dot_product_flash_attention", kDims, kTypes,
                         R"(["", "", "", "0.", "False", "False", "0.125"])");
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(full->flops, 476884992);
  EXPECT_EQ(full->bytes, 4.6171875 * 1024 * 1024);
  // Causal: the lower triangle with its diagonal.
  const auto causal = Cost("aten::_scaled_dot_product_flash_attention", kDims, kTypes,
                           R"(["", "", "", "0.", "True", "False", "0.125"])");
  EXPECT_EQ(causal->flops, 2.0 * 48 * (197 * 198 / 2) * 128);
  // Without the flag half of the work is unknown.
  EXPECT_FALSE(Cost("aten::_scaled_dot_product_flash_attention", kDims, kTypes).has_value());
  // Grouped queries: 8 heads of queries on 2 of keys; decoding, so causal sees all 100 keys.
  const auto decode = Cost("aten::_scaled_dot_product_flash_attention",
                           "[[1, 8, 1, 64], [1, 2, 100, 64], [1, 2, 100, 64], [], []]", kTypes,
                           R"(["", "", "", "0.", "True"])");
  EXPECT_EQ(decode->flops, 2.0 * 8 * 100 * 128);
  EXPECT_EQ(decode->bytes, 2.0 * (8 * 128 + 2 * 100 * 128));
}

TEST(OpCost, AttentionBackwardComputesScoresAgain) {
  constexpr std::string_view kTypes =
      R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half", "c10::Half"])";
  const auto backward = Cost("aten::_scaled_dot_product_flash_attention_backward",
                             "[[1, 2, 8, 4], [1, 2, 8, 4], [1, 2, 8, 4], [1, 2, 8, 4], [1, 2, 8, "
                             "4], [], [], [], [], [], [], []]",
                             kTypes, R"(["","","","","","","","","8","8","0.","False"])");
  // Five products of 2 * 2 * 64 pairs * 4.
  EXPECT_EQ(backward->flops, 5 * 2.0 * 2 * 64 * 4);
}

TEST(OpCost, ElementwiseAndCopies) {
  const auto add = Cost("aten::add", "[[2, 3], [2, 3], []]", R"(["float", "float", "Scalar"])");
  EXPECT_EQ(add->flops, 6);
  EXPECT_EQ(add->bytes, 4.0 * 18);
  // Broadcast: the small one is read once.
  const auto mul = Cost("aten::mul", "[[2, 3], [1, 3]]", R"(["float", "float"])");
  EXPECT_EQ(mul->bytes, 4.0 * (6 + 3 + 6));
  const auto scaled = Cost("aten::mul", "[[2, 3], []]", R"(["float", "double"])");
  EXPECT_EQ(scaled->bytes, 4.0 * 12);
  // A cast reads two bytes and writes four.
  const auto copy =
      Cost("aten::copy_", "[[10], [10], []]", R"(["float", "c10::BFloat16", "Scalar"])");
  EXPECT_EQ(copy->bytes, 60);
  EXPECT_EQ(copy->flops, 0);
}

TEST(OpCost, SeveralTensorsAndNone) {
  const auto where = Cost("aten::where", "[[2, 3], [2, 3], [3]]", R"(["bool", "float", "float"])");
  // The condition takes one byte each, the result four.
  EXPECT_EQ(where->bytes, 6 * 1 + 6 * 4 + 3 * 4 + 6 * 4);
  EXPECT_EQ(where->dtype, "float");
  const auto addcmul =
      Cost("aten::addcmul_", "[[10], [10], [10], []]", R"(["float", "float", "float", "Scalar"])");
  EXPECT_EQ(addcmul->bytes, 4.0 * 40);
  EXPECT_EQ(addcmul->flops, 10);
  EXPECT_EQ(Cost("aten::fill_", "[[10], []]", R"(["float", "Scalar"])")->bytes, 40);
}

TEST(OpCost, Reductions) {
  const auto mean = Cost("aten::mean", "[[16, 559, 1024], [], [], []]",
                         R"(["float", "ScalarList"])", R"(["", "[-1]", "True", ""])");
  EXPECT_EQ(mean->flops, 16.0 * 559 * 1024);
  EXPECT_EQ(mean->bytes, 4.0 * (16 * 559 * 1024 + 16 * 559));
  const auto sum =
      Cost("aten::sum", "[[10, 10], [], []]", R"(["float"])", R"(["", "[0, 1]", "False"])");
  EXPECT_EQ(sum->bytes, 4.0 * 101);
  EXPECT_FALSE(Cost("aten::sum", "[[10], []]", R"(["float"])", R"(["", "[7]"])").has_value());
  EXPECT_EQ(Cost("aten::_softmax", "[[4, 5], [], []]", R"(["float"])")->flops, 60);
}

TEST(OpCost, HugeShapesDoNotOverflow) {
  const auto cost = Cost("aten::mm",
                         "[[9000000000000000000, 9000000000000000000], "
                         "[9000000000000000000, 9000000000000000000]]",
                         R"(["double", "double"])");
  ASSERT_TRUE(cost.has_value());
  EXPECT_GT(cost->flops, 1e57);
  constexpr std::string_view kHuge =
      "[[1, 1, 9000000000000000000, 9], [1, 1, 3, 9000000000000000000], [], [], [], [], [], [], "
      "[]]";
  constexpr std::string_view kFloats = R"(["float", "float"])";
  constexpr std::string_view kValues =
      R"(["", "[3]", "[1]", "[9000000000000000000]", "[1]", "False", "False"])";
  EXPECT_FALSE(Cost("aten::convolution", kHuge, kFloats, kValues).has_value());
  EXPECT_FALSE(Cost("aten::max_pool2d_with_indices", kHuge, kFloats, kValues).has_value());
  EXPECT_FALSE(Cost("aten::avg_pool2d", kHuge, kFloats, kValues).has_value());
}

}  // namespace
}  // namespace rankscope
