#include <gtest/gtest.h>

#include "op_cost/models/cost_for_test.h"

namespace rankscope {
namespace {

// Two tensors with 10 numbers together.
TEST(Optimizer, FusedAdam) {
  // Four lists are read and three written.
  EXPECT_EQ(WorkForTest("aten::_fused_adamw_",
                        "[[[2,3],[4]],[[2,3],[4]],[[2,3],[4]],[[2,3],[4]],[],[[],[]],[]]",
                        "float,float,float,float,float,float,Scalar"),
            "120 280");
  // amsgrad keeps one more.
  EXPECT_EQ(WorkForTest("aten::_fused_adam_",
                        "[[[2,3],[4]],[[2,3],[4]],[[2,3],[4]],[[2,3],[4]],[[2,3],[4]],[[],[]],[]]",
                        "float,float,float,float,float,float,Scalar"),
            "120 360");
  // The dtype of a list is not in the trace.
  EXPECT_EQ(WorkForTest("aten::_fused_adam_", "[[[2,3],[4]]]", "TensorList"), "none");
}

TEST(Optimizer, FusedSgd) {
  EXPECT_EQ(WorkForTest("aten::_fused_sgd_", "[[[10]],[[10]],[]]", "float,float,float"), "20 120");
  EXPECT_EQ(WorkForTest("aten::_fused_sgd_", "[[[10]],[[10]],[[10]]]", "float,float,float"),
            "40 200");
}

TEST(Optimizer, Lists) {
  // With a number, and with another list.
  EXPECT_EQ(WorkForTest("aten::_foreach_mul_", "[[[2,3],[4]],[]]", "Half,Scalar"), "10 40");
  EXPECT_EQ(WorkForTest("aten::_foreach_add_", "[[[2,3],[4]],[[2,3],[4]],[]]", "Half,Half"),
            "10 60");
  EXPECT_EQ(WorkForTest("aten::_foreach_addcdiv_", "[[[2,3],[4]],[[2,3],[4]],[[2,3],[4]],[]]",
                        "Half,Half,Half"),
            "30 80");
  EXPECT_EQ(WorkForTest("aten::_foreach_lerp_", "[[[10]],[[10]],[]]", "Half,Half"), "30 60");
  EXPECT_EQ(WorkForTest("aten::_foreach_zero_", "[[[10]]]", "Half"), "0 20");
  EXPECT_EQ(WorkForTest("aten::_foreach_norm", "[[[10]],[]]", "Half"), "20 20");
}

}  // namespace
}  // namespace rankscope
