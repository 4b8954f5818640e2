#include <gtest/gtest.h>

#include "op_cost/models/cost_for_test.h"

namespace rankscope {
namespace {

TEST(Pointwise, DtypesOfResults) {
  // Truth values take a byte each.
  EXPECT_EQ(WorkForTest("aten::eq", "[[10],[10]]", "float,float"), "10 90");
  // 16 bits and 32 give 32; in place they stay 16.
  EXPECT_EQ(WorkForTest("aten::mul", "[[10],[10]]", "BFloat16,float"), "10 100");
  EXPECT_EQ(WorkForTest("aten::mul_", "[[10],[10]]", "BFloat16,float"), "10 80");
  // Whole numbers and 16 bits give 16.
  EXPECT_EQ(CostForTest("aten::mul", "[[10],[10]]", "long int,Half")->dtype, "c10::Half");
  // A number first.
  EXPECT_EQ(WorkForTest("aten::rsub", "[[],[10]]", "Scalar,float"), "10 80");
  EXPECT_EQ(WorkForTest("aten::mul", "[[],[]]", "Scalar,Scalar"), "none");
}

TEST(Pointwise, ActivationsAndMasks) {
  EXPECT_EQ(WorkForTest("aten::hardtanh_backward", "[[10],[10],[],[]]", "Half,Half"), "10 60");
  EXPECT_EQ(WorkForTest("aten::relu_", "[[10]]", "Half"), "10 40");
  // Two of three inputs are tensors.
  EXPECT_EQ(WorkForTest("aten::elu_backward", "[[10],[],[],[],[],[10]]",
                        "float,Scalar,Scalar,Scalar,Scalar,float"),
            "10 120");
  // Half of 20, times the sigmoid of the other half.
  EXPECT_EQ(WorkForTest("aten::glu", "[[20],[]]", "Half,Scalar"), "20 60");
  EXPECT_EQ(WorkForTest("_C::silu_and_mul", "[[2,5],[2,10]]", "Half,Half"), "20 60");
  EXPECT_EQ(WorkForTest("_C::silu_and_mul", "[[2,5],[2,9]]", "Half,Half"), "none");
  // As recorded; TraceLens reports as many bytes, 2.25 MiB.
  EXPECT_EQ(WorkForTest("sgl_kernel::silu_and_mul", "[[32,12288],[32,24576]]", "BFloat16,BFloat16"),
            "786432 2359296");
  // The result and a mask of a byte each.
  EXPECT_EQ(WorkForTest("aten::native_dropout", "[[10],[],[]]", "Half,Scalar,Scalar"), "10 50");
  EXPECT_EQ(WorkForTest("aten::native_dropout_backward", "[[10],[10],[]]", "Half,bool"), "10 50");
  EXPECT_EQ(WorkForTest("aten::masked_fill_", "[[10],[10],[]]", "float,bool"), "0 90");
  EXPECT_EQ(WorkForTest("aten::tril", "[[4,5],[]]", "Half"), "0 80");
}

TEST(Pointwise, RotaryEmbedding) {
  // 2 tokens: queries of 8 and keys of 4 numbers: 3 * 24 FLOP, read and written in 2 bytes.
  EXPECT_EQ(WorkForTest("_C::rotary_embedding", "[[2],[2,8],[2,4],[],[100,4],[]]",
                        "long int,Half,Half,Scalar,Half", ";;;4;;True"),
            "72 96");
  // Half of every head turns.
  EXPECT_EQ(WorkForTest("_C::rotary_embedding", "[[2],[2,8],[2,4],[],[100,2],[]]",
                        "long int,Half,Half,Scalar,Half", ";;;4;;True"),
            "36 48");
  // As recorded, with what TraceLens reports: 0.00049152 GFLOP and 0.625 MiB.
  EXPECT_EQ(
      WorkForTest("sgl_kernel::rotary_embedding", "[[32],[32,4096],[32,1024],[],[41216,128],[]]",
                  "long int,BFloat16,BFloat16,Scalar,BFloat16,Scalar", ";;;128;;True"),
      "491520 655360");
}

TEST(Pointwise, Quantisation) {
  // 3 rows of 6: 72 bytes in, 3 * (8 + 8) out.
  EXPECT_EQ(WorkForTest("fbgemm::FloatToFP8RowwiseQuantized", "[[3,6],[]]", "float,Scalar"),
            "36 120");
  EXPECT_EQ(WorkForTest("fbgemm::FP8RowwiseQuantizedToFloat", "[[3,16],[]]", "unsigned char"),
            "24 144");
  EXPECT_EQ(WorkForTest("fbgemm::FloatToHFP8Quantized", "[[10],[],[],[]]", "float"), "0 50");
  EXPECT_EQ(WorkForTest("fbgemm::HFP8QuantizedToFloat", "[[10],[],[]]", "unsigned char"), "0 50");
}

}  // namespace
}  // namespace rankscope
