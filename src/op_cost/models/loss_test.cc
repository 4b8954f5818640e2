#include <gtest/gtest.h>

#include "op_cost/models/cost_for_test.h"

namespace rankscope {
namespace {

TEST(Loss, CrossEntropyAndItsParts) {
  // 3 targets of 10 classes: 5 * 30; 4 * 30 + 8 * 3 + 4.
  EXPECT_EQ(WorkForTest("aten::cross_entropy_loss", "[[3,10],[3],[],[],[],[]]", "float,long int",
                        ";;;1;-100;0."),
            "150 148");
  EXPECT_EQ(WorkForTest("aten::cross_entropy_loss", "[[3,10],[3],[],[],[],[]]", "float,long int",
                        ";;;0;-100;0."),
            "150 156");
  // Only the targets' classes are read; all gradients are written.
  EXPECT_EQ(
      WorkForTest("aten::nll_loss_forward", "[[3,10],[3],[],[],[]]", "float,long int", ";;;1;-100"),
      "3 40");
  EXPECT_EQ(WorkForTest("aten::nll_loss_backward", "[[],[3,10],[3],[],[],[],[]]",
                        "float,float,long int", ";;;;1;-100;"),
            "3 144");
}

TEST(Loss, SquaredErrors) {
  EXPECT_EQ(WorkForTest("aten::mse_loss", "[[10],[10],[]]", "float,float", ";;1"), "30 84");
  EXPECT_EQ(WorkForTest("aten::mse_loss", "[[10],[10],[]]", "float,float", ";;0"), "30 120");
  EXPECT_EQ(WorkForTest("aten::mse_loss_backward", "[[],[10],[10],[]]", "float,float,float"),
            "20 120");
}

}  // namespace
}  // namespace rankscope
