// unfused-loss: kernels over all logits beside those of a loss.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

constexpr std::string_view kLogits = "[[4096,32000],[4096,32000]]";

void CrossEntropy(Program& of) {
  of.Op("aten::_log_softmax", "cunn_SoftMaxForward<8, float>", 400, kLogits);
  of.InOp("autograd::engine::evaluate_function: NllLossBackward0", [&] {
    of.Idles(1);
    of.Op("aten::nll_loss_backward", "nll_loss_backward_reduce_cuda_kernel", 200, kLogits);
    of.Op("aten::_log_softmax_backward_data", "cunn_SoftMaxBackward", 400, kLogits);
  });
}

// 131 million logits at 12 bytes take an A100 at 70 % of 2,039 GB/s 1102 us.
constexpr double kUsualUs = 4096.0 * 32000 * 12 / (0.7 * 2039e3);

Body Loss(int casts, std::string_view shape) {
  return [=](Program& of, int) {
    of.Products(100);
    for (int i = 0; i < casts; ++i)
      of.Op("aten::copy_", "unrolled_elementwise_kernel<direct_copy, LoadWithCast<1>>", 500, shape);
    CrossEntropy(of);
  };
}

TEST(UnfusedLoss, CastsOfLogits) {
  const Told told = TellOf(Loss(3, kLogits));
  EXPECT_EQ(told.all, "unfused-loss ");
  EXPECT_EQ(told.ids, "unfused-loss ");
  EXPECT_NEAR(told.gain, 100 * (2500 - kUsualUs) / told.mean_step, 0.5) << told.title;
  EXPECT_NE(told.title.find("6 kernels a step go over logits of [4096, 32000] and take 2.50 ms"),
            std::string::npos)
      << told.title;
}

// Capped logits, a teacher's: what is computed there may be needed.
TEST(UnfusedLoss, ThatDoesMoreIsOfLowSeverity) {
  for (const char* op : {"aten::tanh", "aten::_softmax"}) {
    const Told told = TellOf([=](Program& of, int) {
      of.Products(100);
      for (int i = 0; i < 3; ++i) of.Op(op, "vectorized_elementwise_kernel", 500, kLogits);
      CrossEntropy(of);
    });
    EXPECT_TRUE(told.Has("unfused-loss")) << told.all;
    EXPECT_EQ(told.ids.find("unfused-loss"), std::string::npos) << told.ids;
  }
}

// Kernels over other tensors, as those of a layer of 32,000 values, and a loss alone are not that.
TEST(UnfusedLoss, IsOfLogitsAlone) {
  EXPECT_FALSE(TellOf(Loss(3, "[[1024,32000],[1024,32000]]")).Has("unfused-loss"));
  EXPECT_FALSE(TellOf(Loss(3, "[[4096,8192],[4096,8192]]")).Has("unfused-loss"));
  EXPECT_EQ(TellOf(Loss(0, kLogits)).all, "");
}

// Without a backward tokens are rated or sampled, which takes their probabilities.
TEST(UnfusedLoss, IsOfTraining) {
  const Told told = TellOf([](Program& of, int) {
    of.Products(40);
    for (int i = 0; i < 3; ++i) of.Op("aten::div", "vectorized_elementwise_kernel", 500, kLogits);
    of.Op("aten::_log_softmax", "cunn_SoftMaxForward<8, float>", 400, kLogits);
  });
  EXPECT_FALSE(told.Has("unfused-loss")) << told.all;
}

}  // namespace
}  // namespace rankscope
