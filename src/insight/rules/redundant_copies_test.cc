// redundant-copies: copies and casts on the device that could be avoided.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

Body SameCopies(std::int64_t us) {
  return [=](Program& of, int) {
    for (int i = 0; i < 10; ++i) {
      of.Product();
      if (us > 0) of.Op("aten::contiguous", "elementwise_kernel_copy", us);
    }
  };
}

TEST(RedundantCopies, BehindEachProduct) {
  ExpectFound("redundant-copies", "aten::contiguous", SameCopies(40), SameCopies(0));
}

// Of casts the advice speaks of types; their kernels say what they are.
TEST(RedundantCopies, Casts) {
  const auto with = [](const std::string& kernel) {
    return TellOf([=](Program& of, int) {
      for (int i = 0; i < 10; ++i) {
        of.Product();
        of.Op("aten::copy_", kernel, 40);
        if (i % 4 == 0) of.Op("aten::contiguous", "elementwise_kernel_copy", 40);
      }
    });
  };
  for (const char* kernel :
       {"vectorized_elementwise_kernel<4, at::native::bfloat16_copy_kernel_cuda>",
        "unrolled_elementwise_kernel<direct_copy_kernel_cuda, LoadWithCast<1>, StoreWithCast<1> >",
        "elementwise_kernel<512, 1, gpu_kernel_impl<at::native::direct_copy_kernel_cuda> >"}) {
    const Told told = with(kernel);
    EXPECT_NE(told.title.find("400 us of it casts between types"), std::string::npos) << told.title;
  }
  const Told told = with("elementwise_kernel<128, 4, gpu_kernel_impl_nocast<direct_copy_kernel> >");
  EXPECT_EQ(told.title.find("casts"), std::string::npos) << told.title;
}

// Ten of 1 us in a step of 1148.
TEST(RedundantCopies, LessThanAPercentOfTheStep) { EXPECT_EQ(TellOf(SameCopies(1)).ids, ""); }

// Another op's kernel of that name, and the optimizer's copies, are what they have to be.
TEST(RedundantCopies, OfOtherOpsAndOfTheOptimizer) {
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 for (int i = 0; i < 10; ++i) {
                   of.Product();
                   of.Op("aten::add", "elementwise_kernel_copy", 40);
                 }
               }).Has("redundant-copies"));
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 of.Products(10);
                 of.Range("Optimizer.step#AdamW.step", [&] {
                   for (int i = 0; i < 10; ++i) of.Op("aten::copy_", "elementwise_kernel_copy", 40);
                 });
               }).Has("redundant-copies"));
}

// Copies of 3 us each: their launches are those of short kernels, which launch-bound tells.
TEST(RedundantCopies, ShortOnesGainNoLaunches) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 40; ++i) {
      of.Op("aten::copy_", "elementwise_kernel_copy", 3);
      of.HostOp("work_of_the_host", 90);
    }
  });
  EXPECT_FALSE(told.Has("redundant-copies")) << told.title;
}

// Autocast casts a weight, [1024, 512], and its gradient: usual, and where it takes much of a step
// told with low severity. The cast of the activation is another one.
TEST(RedundantCopies, CastsOfWeightsAreAutocasts) {
  const auto told = [](std::string_view shapes, std::int64_t us) {
    return TellOf([=](Program& of, int) {
      for (int i = 0; i < 10; ++i) {
        of.Op("aten::copy_", "vectorized_elementwise_kernel<bfloat16_copy_kernel_cuda>", us,
              shapes);
        of.Op("aten::mm", "ampere_bf16_s16816gemm_128x64", 100, "[[4096,512],[512,1024]]");
      }
    });
  };
  EXPECT_FALSE(told("[[1024,512],[1024,512]]", 4).Has("redundant-copies"));
  EXPECT_FALSE(told("[[512,1024],[512,1024]]", 4).Has("redundant-copies"));
  EXPECT_TRUE(told("[[4096,512],[4096,512]]", 4).Has("redundant-copies"));
  const Told much = told("[[512,1024],[512,1024]]", 40);
  EXPECT_NEAR(much.gains.at("redundant-copies"), 100 * 40.0 / 140, 2);
  EXPECT_EQ(much.ids.find("redundant-copies"), std::string::npos) << much.ids;
}

// Recordings without inner ops show the op that calls aten::copy_.
TEST(RedundantCopies, CastsByTheOpAroundThem) {
  const auto told = [](std::string_view op, std::string_view shapes) {
    return TellOf([=](Program& of, int) {
      for (int i = 0; i < 10; ++i) {
        of.Op(op, "vectorized_elementwise_kernel<bfloat16_copy_kernel_cuda>", 40, shapes);
        of.Op("aten::mm", "ampere_bf16_s16816gemm_128x64", 100, "[[4096,512],[512,1024]]");
      }
    });
  };
  for (const char* op : {"aten::to", "aten::_to_copy"}) {
    const Told of_weights = told(op, "[[512,1024]]"), of_others = told(op, "[[4096,512]]");
    EXPECT_TRUE(of_weights.Has("redundant-copies")) << of_weights.all;
    EXPECT_EQ(of_weights.ids.find("redundant-copies"), std::string::npos) << of_weights.ids;
    EXPECT_TRUE(of_others.Has("redundant-copies")) << of_others.all;
    EXPECT_EQ(of_others.ids.find("redundant-copies"), std::string::npos) << of_others.ids;
  }
}

// A twentieth of a step and more: norms and softmax cast as well.
TEST(RedundantCopies, CastsByTheOpAroundThemFromATwentiethOn) {
  const auto told = [](int casts) {
    return TellOf([=](Program& of, int) {
      of.Products(20);
      for (int i = 0; i < casts; ++i)
        of.Op("aten::to", "vectorized_elementwise_kernel<bfloat16_copy_kernel_cuda>", 40,
              "[[4096,512]]");
    });
  };
  EXPECT_FALSE(told(2).Has("redundant-copies"));
  EXPECT_TRUE(told(4).Has("redundant-copies"));
}

// Other copies are told beside more casts of weights.
TEST(RedundantCopies, CopiesBesideCastsOfWeights) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 10; ++i) {
      of.Op("aten::copy_", "vectorized_elementwise_kernel<bfloat16_copy_kernel_cuda>", 12,
            "[[512,1024],[512,1024]]");
      of.Op("aten::clone", "elementwise_kernel_copy", 11, "[[4096,512]]");
      of.Op("aten::mm", "ampere_bf16_s16816gemm_128x64", 100, "[[4096,512],[512,1024]]");
    }
  });
  EXPECT_NE(told.ids.find("redundant-copies"), std::string::npos) << told.all;
}

// A cast inside of an op is autocast's, whatever it casts; one that the program asks for is not.
TEST(RedundantCopies, CastsInsideOfOpsAreAutocasts) {
  const auto told = [](std::string_view around) {
    return TellOf([=](Program& of, int) {
      for (int i = 0; i < 10; ++i) {
        of.InOp(around, [&] {
          of.Idles(1);
          of.Op("aten::copy_", "vectorized_elementwise_kernel<bfloat16_copy_kernel_cuda>", 40,
                "[[4096,512],[4096,512]]");
        });
        of.Op("aten::mm", "ampere_bf16_s16816gemm_128x64", 100, "[[4096,512],[512,1024]]");
      }
    });
  };
  EXPECT_FALSE(told("aten::linear").Has("redundant-copies"));
  EXPECT_FALSE(told("aten::cross_entropy_loss").Has("redundant-copies"));
  EXPECT_FALSE(told("autograd::engine::evaluate_function: AddBackward0").Has("redundant-copies"));
  EXPECT_TRUE(told("aten::to").Has("redundant-copies"));
  EXPECT_TRUE(told("MyFunction").Has("redundant-copies"));
}

}  // namespace
}  // namespace rankscope
