#include <gtest/gtest.h>

#include "op_cost/models/cost_for_test.h"

namespace rankscope {
namespace {

// 6 rows of 10: 10 FLOP per element for x and 3 for weight and bias: 780. Bytes: 4 * (60 + 60 read,
// 60 written, a weight read, two gradients of it, mean and deviation of 6 rows).
TEST(Normalisation, LayerNormBackward) {
  constexpr std::string_view kDims = "[[6,10],[6,10],[],[6,1],[6,1],[10],[10],[]]";
  constexpr std::string_view kTypes = "float,float,ScalarList,float,float,float,float,";
  EXPECT_EQ(WorkForTest("aten::native_layer_norm_backward", kDims, kTypes), "780 888");
  EXPECT_EQ(WorkForTest("aten::native_layer_norm_backward", kDims, kTypes,
                        ";;[10];;;;;[True, True, True]"),
            "780 888");
  // Only x: 600 FLOP, no gradients of 10 each.
  EXPECT_EQ(WorkForTest("aten::native_layer_norm_backward", kDims, kTypes,
                        ";;[10];;;;;[True, False, False]"),
            "600 808");
  // Only weight and bias: the normalised input (2) and 3.
  EXPECT_EQ(WorkForTest("aten::native_layer_norm_backward", kDims, kTypes,
                        ";;[10];;;;;[False, True, True]"),
            "300 648");
}

// 2 x 3 channels x 10: the same per element; channels are small.
TEST(Normalisation, BackwardOfTheOthers) {
  // 4 * (3 * 60 + 3 * 3 of weights + 2 * 3 of statistics).
  EXPECT_EQ(WorkForTest("aten::native_batch_norm_backward",
                        "[[2,3,10],[2,3,10],[3],[3],[3],[3],[3],[],[],[]]",
                        "float,float,float,float,float,float,float",
                        ";;;;;;;True;1e-05;[True, True, True]"),
            "780 780");
  for (const char* op : {"aten::cudnn_batch_norm_backward", "aten::miopen_batch_norm_backward"}) {
    EXPECT_EQ(WorkForTest(op, "[[2,3,10],[2,3,10],[3],[3],[3],[3],[3],[]]",
                          "float,float,float,float,float,float,float"),
              "780 780")
        << op;
  }
  // Statistics of 2 x 1 groups.
  EXPECT_EQ(WorkForTest("aten::native_group_norm_backward",
                        "[[2,3,10],[2,3,10],[2,1],[2,1],[3],[],[],[],[],[]]",
                        "float,float,float,float,float"),
            "780 772");
  // RMS: 7 per element and 2 for the weight; no bias, no mean.
  EXPECT_EQ(WorkForTest("aten::_fused_rms_norm_backward", "[[6,10],[6,10],[],[6,1],[10],[]]",
                        "float,float,ScalarList,float,float"),
            "540 824");
  EXPECT_EQ(WorkForTest("aten::native_layer_norm_backward", "[[6,10],[],[],[6,1]]", "float"),
            "none");
}

TEST(Normalisation, ServingEngines) {
  EXPECT_EQ(WorkForTest("_C::rms_norm", "[[6,10],[6,10],[10],[]]", "Half,Half,Half"), "240 260");
  EXPECT_EQ(WorkForTest("_C::fused_add_rms_norm", "[[6,10],[6,10],[10],[]]", "Half,Half,Half"),
            "300 500");
  // As recorded, with the bytes that TraceLens reports: 0.5078125, 1.0078125, 90.0054931640625 and
  // 180.0054931640625 MiB.
  EXPECT_EQ(WorkForTest("aiter::rmsnorm", "[[32,4096],[32,4096],[4096],[]]",
                        "BFloat16,BFloat16,BFloat16"),
            "524288 532480");
  EXPECT_EQ(WorkForTest("aiter::add_rmsnorm", "[[32,4096],[32,4096],[32,4096],[32,4096],[4096],[]]",
                        "BFloat16,BFloat16,BFloat16,BFloat16,BFloat16"),
            "655360 1056768");
  EXPECT_EQ(WorkForTest("aiter::rms_norm", "[[8192,2880],[2880],[],[]]", "BFloat16,BFloat16"),
            "94371840 94377600");
  EXPECT_EQ(WorkForTest("aiter::rmsnorm2d_fwd_with_add_ck",
                        "[[8192,2880],[8192,2880],[8192,2880],[8192,2880],[2880],[],[]]",
                        "BFloat16,BFloat16,BFloat16,BFloat16,BFloat16"),
            "117964800 188749440");
}

}  // namespace
}  // namespace rankscope
