// unfused-elementwise: chains of small kernels that one kernel could do.
#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

Body Chains(bool is_fused) {
  return [=](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Product();
      of.Op("aten::add", "vectorized_elementwise_kernel", 60);
      if (is_fused) continue;
      of.Op("aten::mul", "vectorized_elementwise_kernel", 50);
      of.Op("aten::gelu", "vectorized_elementwise_kernel", 40);
    }
  };
}

TEST(UnfusedElementwise, AChainTakesWhatItsLongestKernelTakes) {
  ExpectFound("unfused-elementwise", "aten::mul", Chains(false), Chains(true));
}

// What cuDNN does around its convolutions is told as that, and fuses with nothing.
TEST(UnfusedElementwise, LayoutsOfConvolutionsAreNoChains) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Op("aten::cudnn_convolution", "void cudnn::ops::nchwToNhwcKernel<float>(int)", 60);
      of.Op("aten::cudnn_convolution", "void cudnn::ops::nchwToNhwcKernel<float>(int)", 50);
      of.Op("aten::cudnn_convolution", "cudnn_convolution", 100);
    }
  });
  EXPECT_TRUE(told.Has("layout-conversion")) << told.all;
  EXPECT_FALSE(told.Has("unfused-elementwise")) << told.all;
}

// Chains of two, of `us` in all, behind each product of 100.
Body Pairs(std::int64_t us) {
  return [=](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Product();
      of.Op("aten::add", "vectorized_elementwise_kernel", us / 2);
      of.Op("aten::mul", "vectorized_elementwise_kernel", us / 2);
    }
  };
}

// 84 of 184 us are 45.7 %, 80 of 180 are 44.4.
TEST(UnfusedElementwise, BeginsAt45PercentOfComputing) {
  EXPECT_EQ(TellOf(Pairs(84)).ids, "unfused-elementwise ");
  EXPECT_EQ(TellOf(Pairs(80)).ids, "");
}

// A norm of four kernels of 20 us behind each product of 200: 28.6 % of computing, of which one
// kernel saves 21.4 % of the device's time. `shapes`: of each of the four.
Body Norms(const std::array<std::string_view, 4>& shapes, int kernels = 4) {
  return [=](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Products(2);
      for (int kernel = 0; kernel < kernels; ++kernel)
        of.Op("aten::mul", "vectorized_elementwise_kernel", 20,
              shapes[static_cast<std::size_t>(kernel)]);
    }
  };
}

TEST(UnfusedElementwise, FewerWhereChainsAreLongAndOfOneSize) {
  constexpr std::string_view kWhole = "[[64,128],[64,128]]", kHalf = "[[64,64],[64,64]]",
                             kWeight = "[[32,64],[32,64]]";
  ExpectFound("unfused-elementwise", "aten::mul", Norms({kWhole, kWhole, kHalf, kWhole}),
              Norms({kWhole}, 1));
  // Nothing shows that they are over the same values.
  EXPECT_EQ(TellOf(Norms({kWhole, kWhole, kWeight, kWhole})).ids, "");
  EXPECT_EQ(TellOf(Norms({"", "", "", ""})).ids, "");
  // Three are no long chain.
  EXPECT_EQ(TellOf(Norms({kWhole, kWhole, kWhole}, 3)).ids, "");
}

// RMSNorm that is written out: its mean, and what it does with that, are of the chain. What is
// reduced at the end of a chain is its result.
TEST(UnfusedElementwise, ReductionsInsideOfChains) {
  const auto norms = [](bool goes_on) {
    return [=](Program& of, int) {
      constexpr std::string_view kWhole = "[[64,128],[64,128]]", kFew = "[[64,1]]";
      for (int i = 0; i < 8; ++i) {
        of.Products(2);
        of.Op("aten::pow", "vectorized_elementwise_kernel", 20, kWhole);
        of.Op("aten::mul", "vectorized_elementwise_kernel", 20, kWhole);
        of.Op("aten::mean", "reduce_kernel", 20, "[[64,128]]");
        of.Op("aten::rsqrt", "vectorized_elementwise_kernel", 2, kFew);
        if (goes_on) of.Op("aten::mul", "vectorized_elementwise_kernel", 20, kWhole);
      }
    };
  };
  const Told told = TellOf(norms(true));
  EXPECT_EQ(told.ids, "unfused-elementwise ") << told.all;
  EXPECT_NEAR(told.gain, 100 * 62.0 / 282, 2);  // all but one of 20 us
  EXPECT_EQ(TellOf(norms(false)).all, "");
}

// Chains of a tenth of a step are told with low severity.
TEST(UnfusedElementwise, FewChainsWithLowSeverity) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Products(4);
      for (int k = 0; k < 4; ++k)
        of.Op("aten::mul", "vectorized_elementwise_kernel", 20, "[[64,128],[64,128]]");
    }
  });
  EXPECT_EQ(told.ids, "");
  EXPECT_EQ(told.all, "unfused-elementwise ");
}

// Rotary embeddings of two tensors behind ten products of 100 us: of 10 kernels of 20 us one kernel
// for each tensor saves 8.
TEST(UnfusedElementwise, TheSameOpsAgainAreAChainOfTheirOwn) {
  const Told told = TellOf([](Program& of, int) {
    constexpr std::string_view kWhole = "[[64,128],[64,128]]";
    for (int i = 0; i < 8; ++i) {
      of.Products(10);
      for (int tensor = 0; tensor < 2; ++tensor) {
        for (const char* op : {"aten::mul", "aten::neg", "aten::div", "aten::mul", "aten::add"})
          of.Op(op, "vectorized_elementwise_kernel", 20, kWhole);
      }
    }
  });
  EXPECT_EQ(told.all, "unfused-elementwise ");
  EXPECT_NEAR(told.gain, 100 * 160.0 / 1200, 1);
  EXPECT_NE(told.title.find("16 chains a step"), std::string::npos) << told.title;
}

// `chains` of four kernels of `us`, in a step of ten products of 100 us for each of eight layers.
Body ChainsOfAStep(int chains, std::int64_t us) {
  return [=](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Products(10);
      for (int k = 0; i < chains && k < 4; ++k)
        of.Op("aten::mul", "vectorized_elementwise_kernel", us, "[[64,128],[64,128]]");
    }
  };
}

// A little in each layer is one change; as much in one place of a step is not worth a finding.
TEST(UnfusedElementwise, LittleInEachLayer) {
  const Told told = TellOf(ChainsOfAStep(8, 20));
  EXPECT_EQ(told.ids, "");
  EXPECT_EQ(told.all, "unfused-elementwise ");
  EXPECT_NEAR(told.gain, 100 * 60.0 / 1080, 1);
  EXPECT_EQ(TellOf(ChainsOfAStep(2, 80)).all, "");
  EXPECT_EQ(TellOf(ChainsOfAStep(8, 9)).all, "");  // 2.6 % of a step
}

// Nothing but elementwise kernels, which take 32 us of steps of over 8 ms: what the host does
// between them is not theirs.
TEST(UnfusedElementwise, NotOfADeviceThatHardlyComputes) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Op("aten::add", "vectorized_elementwise_kernel", 2);
      of.Op("aten::mul", "vectorized_elementwise_kernel", 2);
      of.Idles(1000);
    }
  });
  EXPECT_FALSE(told.Has("unfused-elementwise")) << told.all;
}

// What lies between the products of attention is told as that, and not again.
TEST(UnfusedElementwise, AttentionClaimsItsOwn) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 6; ++i) {
      of.Op("aten::bmm", "gemm", 60);
      for (int k = 0; k < 5; ++k) of.Op("aten::mul", "vectorized_elementwise_kernel", 20);
      of.Op("aten::_softmax", "softmax_warp_forward", 60);
      of.Op("aten::bmm", "gemm", 60);
    }
  });
  EXPECT_EQ(told.ids, "unfused-attention ") << told.all;
}

}  // namespace
}  // namespace rankscope
