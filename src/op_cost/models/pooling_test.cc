#include <gtest/gtest.h>

#include "op_cost/models/cost_for_test.h"

namespace rankscope {
namespace {

// 2 channels of 7 x 7, windows of 3 x 3 every 2 with padding 1: 4 x 4 results each, 32 * 9
// comparisons; 98 floats in, 32 floats and 32 indices of 8 bytes out.
TEST(Pooling, MaxPool) {
  constexpr std::string_view kDims = "[[1,2,7,7],[],[],[],[],[]]";
  EXPECT_EQ(WorkForTest("aten::max_pool2d_with_indices", kDims, "float",
                        ";[3, 3];[2, 2];[1, 1];[1, 1];False"),
            "288 776");
  EXPECT_EQ(WorkForTest("aten::max_pool2d_with_indices", kDims, "float", ";[3];[2];[1];[1];False"),
            "288 776");
  // A stride that is not given is the window: 2 x 2, and rounded up 3 x 3.
  EXPECT_EQ(WorkForTest("aten::max_pool2d_with_indices", kDims, "float", ";[3];[];[0];[1];False"),
            "72 488");
  EXPECT_EQ(WorkForTest("aten::max_pool2d_with_indices", kDims, "float", ";[3];[];[0];[1];True"),
            "162 608");
  EXPECT_EQ(WorkForTest("aten::max_pool2d_with_indices", kDims, "float"), "none");
  // Larger than the input.
  EXPECT_EQ(WorkForTest("aten::max_pool2d_with_indices", kDims, "float", ";[9];[1];[0];[1];False"),
            "none");
}

TEST(Pooling, MaxPoolBackward) {
  // 32 gradients with their indices in, 98 floats out.
  EXPECT_EQ(WorkForTest("aten::max_pool2d_with_indices_backward",
                        "[[1,2,4,4],[1,2,7,7],[],[],[],[],[],[1,2,4,4]]", "float,float"),
            "32 776");
}

TEST(Pooling, Averages) {
  EXPECT_EQ(WorkForTest("aten::avg_pool2d", "[[1,2,8,8],[],[],[],[],[],[]]", "Half",
                        ";[2, 2];[2, 2];[0, 0];False;True;"),
            "128 320");
  EXPECT_EQ(WorkForTest("aten::avg_pool2d_backward", "[[1,2,4,4],[1,2,8,8],[],[],[],[],[],[]]",
                        "Half,Half", ";;[2, 2];[2, 2];[0, 0];False;True;"),
            "128 320");
  EXPECT_EQ(WorkForTest("aten::_adaptive_avg_pool2d", "[[1,2,8,8],[]]", "Half", ";[2, 2]"),
            "128 272");
  EXPECT_EQ(
      WorkForTest("aten::_adaptive_avg_pool2d_backward", "[[1,2,2,2],[1,2,8,8]]", "Half,Half"),
      "128 272");
}

}  // namespace
}  // namespace rankscope
