// costly-op: sorts, decompositions and fills.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

Body OpsCostlyOp(std::string_view op, std::int64_t us) {
  return [=](Program& of, int) {
    of.Products(8);
    for (int i = 0; us > 0 && i < 2; ++i) of.Op(op, "radix_sort", us);
  };
}

TEST(CostlyOp, ASortGainsAtMostWhatItTakes) {
  const Told told = TellOf(OpsCostlyOp("aten::sort", 400));
  EXPECT_EQ(told.ids, "costly-op ");
  EXPECT_EQ(told.method, "bound");
  EXPECT_NEAR(told.gain, 100 * (1 - TellOf(OpsCostlyOp("", 0)).mean_step / told.mean_step), 0.5);
  EXPECT_NE(told.title.find("aten::sort takes 800 us of the device in 2 kernels a step"),
            std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("topk"), std::string::npos) << told.change;
}

// Top-p: what follows the sort belongs to it. 2 x 150 us of 5.1 ms for each kernel: none reaches 5
// % of the step alone. Other sums of that row behind a sort, and those of another one, are not
// that.
Body Samples(std::string_view last_op, std::string_view row) {
  return [=](Program& of, int) {
    of.Products(40);
    const std::string shapes = fmt::format("[[128,{}]]", row);
    of.Op("aten::sort", "DeviceSegmentedRadixSortKernel", 150, "[[128,32000]]");
    of.Op("aten::_softmax", "cunn_SoftMaxForward", 100, shapes);
    of.Op("aten::cumsum", "tensor_kernel_scan_innermost_dim", 150, shapes);
    of.Op(last_op, "_scatter_gather_elementwise_kernel", 150, shapes);
    of.Op("aten::argmax", "reduce_kernel", 20, shapes);
  };
}

TEST(CostlyOp, SamplingThatSortsTheVocabulary) {
  const Told told = TellOf(Samples("aten::scatter", "32000"));
  EXPECT_EQ(told.ids, "costly-op ") << told.all;
  EXPECT_NEAR(told.gain, 100 * 550 / told.mean_step, 0.5);
  EXPECT_NE(told.title.find("aten::sort of the vocabulary for top-p sampling takes 550 us"),
            std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("FlashInfer"), std::string::npos) << told.change;
  EXPECT_FALSE(TellOf(Samples("aten::add", "32000")).Has("costly-op"));
  EXPECT_FALSE(TellOf(Samples("aten::scatter", "4096")).Has("costly-op"));
}

// An op of a library that is none of PyTorch's takes a fifth of the step: told with low severity,
// unless other kernels are known to do without it.
TEST(CostlyOp, OfALibrary) {
  const auto told = [](std::string_view op, std::string_view kernel, std::int64_t us) {
    return TellOf([=](Program& of, int) {
      for (int i = 0; i < 8; ++i) {
        of.Products(1);
        of.Op(op, kernel, us);
      }
    });
  };
  const Told much = told("bitsandbytes::dequantize_4bit", "kDequantizeBlockwise", 25);
  EXPECT_EQ(much.ids, "costly-op ") << much.all;  // of inference
  EXPECT_NE(much.change.find("quantised weights"), std::string::npos) << much.change;
  EXPECT_FALSE(told("bitsandbytes::dequantize_4bit", "kDequantizeBlockwise", 8).Has("costly-op"));
  EXPECT_FALSE(told("vllm::paged_attention", "paged_attention_v2_kernel", 25).Has("costly-op"));
  EXPECT_FALSE(told("_C::gptq_marlin_gemm", "void marlin::Marlin<4>", 25).Has("costly-op"));
  EXPECT_FALSE(told("CompiledFunction", "triton_poi_fused_gelu_1", 25).Has("costly-op"));
  const Told own = told("SwiGLUFunction", "triton_swiglu_fwd", 25);
  EXPECT_EQ(own.ids, "");
  EXPECT_TRUE(own.Has("costly-op")) << own.all;
}

// 8 times `us` forward and 10 us backward: a copy of 4 MB takes an A100 4 us.
Body OwnFunction(std::string_view op, std::int64_t us, std::string_view inputs) {
  return [=](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Products(10);
      of.Op(op, "_own_fwd_kernel", us, inputs);
      of.Op(std::string(op) + "Backward", "_own_bwd_kernel", 10);
    }
  };
}

TEST(CostlyOp, ForwardFarSlowerThanItsBackward) {
  constexpr std::string_view kOne = "[[1024,1024]]";
  const Told told = TellOf(OwnFunction("FusedRope", 200, kOne));
  EXPECT_EQ(told.all, "costly-op ");
  EXPECT_EQ(told.ids, "");
  EXPECT_EQ(told.method, "bound");
  EXPECT_NEAR(told.gain, 100 * 8 * 190 / told.mean_step, 0.5);
  EXPECT_NE(told.title.find("FusedRope takes 1.60 ms of the device a step, 20 times as long as its "
                            "backward"),
            std::string::npos)
      << told.title;
  EXPECT_FALSE(TellOf(OwnFunction("FusedRope", 45, kOne)).Has("costly-op"));
  // As long as it has to be by what it reads, or by what it may compute.
  EXPECT_FALSE(TellOf(OwnFunction("FusedRope", 200, "[[8192,4096]]")).Has("costly-op"));
  EXPECT_FALSE(TellOf(OwnFunction("FusedRope", 200, "[[64],[64],[64]]")).Has("costly-op"));
  EXPECT_FALSE(TellOf(OwnFunction("FlashAttn", 200, kOne)).Has("costly-op"));
}

// Training unpacks weights for many tokens, to save memory.
TEST(CostlyOp, UnpacksWeightsInTraining) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Products(1);
      of.Op("bitsandbytes::dequantize_4bit", "kDequantizeBlockwise", 25);
      of.InOp("autograd::engine::evaluate_function: MmBackward0", [&] {
        of.Idles(1);
        of.Product();
      });
    }
  });
  EXPECT_EQ(told.ids, "");
  EXPECT_TRUE(told.Has("costly-op")) << told.all;
}

// In one step of six: the step is another work (outlier-step).
TEST(CostlyOp, OfOneStepIsToldOfThatStep) {
  const Told told = TellOf(
      [](Program& of, int step) { OpsCostlyOp("aten::histc", step == 3 ? 1500 : 0)(of, step); });
  EXPECT_FALSE(told.Has("costly-op")) << told.all;
  EXPECT_TRUE(told.Has("outlier-step")) << told.all;
}

// What takes rows by x[index] has a gradient that sorts the indices; putting values by index sorts
// nothing.
TEST(CostlyOp, SumsByIndexSort) {
  const auto told_of = [](std::string_view kernel) {
    return TellOf([=](Program& of, int) {
      of.Products(8);
      of.Op("aten::_index_put_impl_", kernel, 400);
    });
  };
  const Told told = told_of("void at::native::indexing_backward_kernel<c10::BFloat16, 4>");
  EXPECT_EQ(told.ids, "costly-op ");
  EXPECT_NE(told.change.find("index_select"), std::string::npos) << told.change;
  EXPECT_FALSE(told_of("void at::native::index_elementwise_kernel<128, 4>").Has("costly-op"));
}

TEST(CostlyOp, FillsOfMuchOfTheStep) {
  const Told told = TellOf(OpsCostlyOp("aten::fill_", 400));
  EXPECT_EQ(told.ids, "costly-op ");
  EXPECT_NE(told.change.find("torch.empty"), std::string::npos) << told.change;
  EXPECT_EQ(TellOf(OpsCostlyOp("aten::fill_", 20)).ids, "") << "gradients are set to zero";
}

// What zero_grad(set_to_none=False) does is never needed: told from 1 % of a step on.
TEST(CostlyOp, GradientsThatAreFilled) {
  const auto told = [](std::string_view op, std::int64_t us) {
    return TellOf([=](Program& of, int) {
      of.Products(20);
      for (int i = 0; i < 2; ++i) of.Op(op, "multi_tensor_apply_kernel", us);
    });
  };
  const Told filled = told("aten::_foreach_zero_", 25);
  EXPECT_EQ(filled.all, "costly-op ");
  EXPECT_EQ(filled.ids, "");
  EXPECT_NEAR(filled.gain, 100 * 50 / filled.mean_step, 0.2);
  EXPECT_NE(filled.change.find("set_to_none=True"), std::string::npos) << filled.change;
  EXPECT_FALSE(told("aten::_foreach_zero_", 5).Has("costly-op"));
  EXPECT_FALSE(told("aten::_foreach_mul_", 25).Has("costly-op"));
}

// The host waits inside of the op, as cuSOLVER's do.
TEST(CostlyOp, ADecompositionGainsItsWaits) {
  const Told told = TellOf([](Program& of, int) {
    of.Products(8);
    for (int i = 0; i < 4; ++i) {
      of.Op("aten::_linalg_svd", "gesvdbj_batch_32x16", 300);
      of.Synchronise("cudaStreamSynchronize");
    }
  });
  EXPECT_EQ(told.first(), "costly-op") << told.ids;
  EXPECT_NE(told.change.find("svd_lowrank"), std::string::npos) << told.change;
}

// Its kernels take 3 % of the step; that the host reads how many values there are costs the rest.
TEST(CostlyOp, WaitsInsideOfItCountWithIt) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 3; ++i) {
      of.Products(2);
      of.InOp("aten::_unique2", [&] {
        of.Op("aten::_unique2", "DeviceRadixSortOnesweepKernel", 10);
        of.InOp("aten::item", [&] {
          of.InOp("aten::_local_scalar_dense", [&] {
            of.Copy("Memcpy DtoH (Device -> Pinned)", 1);
            of.Synchronise("cudaStreamSynchronize");
          });
        });
        of.HostOp("aten::empty", 150);  // the device waits for it, too
      });
    }
    of.Products(2);
  });
  EXPECT_EQ(told.ids, "costly-op ");
  EXPECT_NE(told.title.find("aten::_unique2"), std::string::npos) << told.title;
  EXPECT_NE(told.title.find("the host waits for its values"), std::string::npos) << told.title;
  EXPECT_NE(told.change.find("Compute it once"), std::string::npos) << told.change;
}

// 1 % of a step is nobody's trouble; and norms are no decompositions.
TEST(CostlyOp, LittleOrOrdinaryIsNone) {
  EXPECT_FALSE(TellOf(OpsCostlyOp("aten::sort", 5)).Has("costly-op"));
  EXPECT_FALSE(TellOf(OpsCostlyOp("aten::linalg_vector_norm", 400)).Has("costly-op"));
  EXPECT_FALSE(TellOf(OpsCostlyOp("aten::softmax", 400)).Has("costly-op"));
}

}  // namespace
}  // namespace rankscope
