// uneven-work: some ranks have more to compute than their peers.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Ten products a step in so many blocks of threads, no shapes of inputs recorded.
Body ProductsUnevenWork(std::int64_t us, int blocks, std::int64_t waits) {
  return [=](Program& of, int) {
    for (int i = 0; i < 10; ++i) {
      of.Op("aten::mm", "gemm", us);
      of.Blocks(blocks);
    }
    of.Waits(waits);
  };
}

// 30 us more for each of ten products that have more blocks.
TEST(UnevenWork, LaunchesDiffer) {
  const Body usual = ProductsUnevenWork(100, 64, 300);
  const Told told = TellOfRanks({usual, usual, ProductsUnevenWork(130, 84, 0), usual});
  EXPECT_EQ(told.all, "uneven-work ");
  EXPECT_EQ(told.ranks, "2");
  EXPECT_NEAR(told.gain, 100 * 300 / told.mean_step, 0.1);
}

// The same inputs in another kernel: no work of other sizes.
TEST(UnevenWork, OtherKernelsForTheSameInputs) {
  const auto products = [](std::string_view kernel, std::int64_t us, std::int64_t waits) {
    return [=](Program& of, int) {
      for (int i = 0; i < 10; ++i) of.Op("aten::mm", kernel, us, "[[512,512],[512,512]]");
      of.Waits(waits);
    };
  };
  const Body usual = products("nvjet", 100, 300);
  const Told told = TellOfRanks({usual, usual, products("cutlass", 130, 0), usual});
  EXPECT_EQ(told.first(), "uneven-work") << told.all;
  EXPECT_NE(told.title.find("rank 2 runs other kernels than the ranks that do the same, for the "
                            "same inputs"),
            std::string::npos)
      << told.title;
  EXPECT_EQ(told.change.find("record_shapes"), std::string::npos) << told.change;
}

// Nor larger batches, where kernels of one name have other inputs in turn.
TEST(UnevenWork, OtherKernelsAreNoLargerBatches) {
  const auto products = [](std::string_view kernel, std::int64_t us, std::int64_t waits) {
    return [=](Program& of, int) {
      for (int i = 0; i < 10; ++i) {
        of.Op("aten::mm", kernel, us, "[[512,512],[512,512]]");
        of.Op("aten::mm", "nvjet", 100, "[[512,512],[512,513]]");
        of.Op("aten::mm", "nvjet", 101, "[[512,512],[512,514]]");
        of.Op("aten::mm", "nvjet", 102, "[[512,512],[512,515]]");
      }
      of.Waits(waits);
    };
  };
  const Body usual = products("nvjet", 100, 800);
  const Told told = TellOfRanks({usual, usual, products("cutlass", 180, 0), usual});
  EXPECT_EQ(told.all, "uneven-work ");
  EXPECT_EQ(told.ranks, "2");
}

// Where a fused op is missing, others stand in its place.
TEST(UnevenWork, OtherOpsForTheSame) {
  const auto attends = [](bool is_fused, std::int64_t waits) {
    return [=](Program& of, int) {
      for (int i = 0; i < 10; ++i) {
        of.Op("aten::mm", "gemm", 100, "[[512,512],[512,512]]");
        if (is_fused) {
          of.Op("aten::_flash_attention_forward", "flash_fwd", 60, "[[8,512,64]]");
        } else {
          of.Op("aten::bmm", "gemm", 60, "[[8,512,64],[8,64,512]]");
          of.Op("aten::_softmax", "softmax", 50, "[[8,512,512]]");
        }
      }
      of.Waits(waits);
    };
  };
  const Body usual = attends(true, 500);
  const Told told = TellOfRanks({usual, usual, attends(false, 0), usual});
  EXPECT_EQ(told.first(), "uneven-work") << told.all;
  EXPECT_NE(told.title.find("rank 2 runs aten::bmm, aten::_softmax where the ranks that do the "
                            "same run aten::_flash_attention_forward"),
            std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("flash-attn"), std::string::npos) << told.change;
}

// Shapes that were recorded need not be asked for.
TEST(UnevenWork, AsksForShapesWhereThereAreNone) {
  const auto change = [](std::string_view shapes) {
    const auto products = [=](int count, std::int64_t waits) {
      return [=](Program& of, int) {
        for (int i = 0; i < count; ++i) of.Op("aten::mm", "gemm", 100, shapes);
        of.Waits(waits);
      };
    };
    const Body usual = products(10, 1000);
    const Told told = TellOfRanks({usual, usual, products(20, 0), usual});
    EXPECT_EQ(told.first(), "uneven-work") << told.all;
    return told.change;
  };
  EXPECT_NE(change("").find("record_shapes"), std::string::npos);
  EXPECT_EQ(change("[[512,512],[512,512]]").find("record_shapes"), std::string::npos);
}

// In each of eight steps one of four ranks generates 20 tokens and the others 10, which each take
// the host a wait; then all train.
Told TellOfGenerations(bool on_one_rank) {
  std::vector<Body> bodies;
  for (int rank = 0; rank < 4; ++rank) {
    bodies.emplace_back([=](Program& of, int step) {
      const bool is_longer = (on_one_rank ? 0 : step % 4) == rank;
      for (int token = 0; token < (is_longer ? 20 : 10); ++token) {
        of.Product();
        of.Synchronise("cudaStreamSynchronize");
      }
      for (int i = 0; i < 10; ++i) of.Op("aten::addmm", "train", 100, "[[64],[64,64],[64,64]]");
      of.Waits(is_longer ? 0 : 1160);
    });
  }
  return TellOfRanks(bodies, 8);
}

TEST(UnevenWork, OnAnotherRankInEachStep) {
  const Told told = TellOfGenerations(false);
  EXPECT_EQ(told.first(), "uneven-work") << told.all;
  EXPECT_NEAR(told.gain, 100 * 1160 / told.mean_step, 2) << told.title;
  EXPECT_NE(told.title.find("1 of the 4 ranks, from step to step another one, has more to do"),
            std::string::npos)
      << told.title;
  EXPECT_EQ(TellOfGenerations(true).ranks, "0");
}

// Other kernels in place of the usual ones are no more work, whatever makes that rank late.
TEST(UnevenWork, OtherNamesOnAnotherRankInEachStepAreNone) {
  std::vector<Body> bodies;
  for (int rank = 0; rank < 4; ++rank) {
    bodies.emplace_back([=](Program& of, int step) {
      const bool is_one = step % 4 == rank;
      if (is_one) of.Idles(3000);
      for (int i = 0; i < 20; ++i) of.Op("aten::mm", is_one ? "cutlass" : "nvjet", 100);
      of.Waits(is_one ? 0 : 3000);
    });
  }
  EXPECT_FALSE(TellOfRanks(bodies, 8).Has("uneven-work"));
}

// The same kernel in more blocks for inputs that look alike (the lengths of lists of tensors are
// not recorded): there is more to compute.
TEST(UnevenWork, TheSameKernelsInMoreBlocks) {
  const auto updates = [](std::int64_t us, int blocks, std::int64_t waits) {
    return [=](Program& of, int) {
      for (int i = 0; i < 10; ++i) of.Op("aten::mm", "gemm", 100, "[[512,512],[512,512]]");
      of.Op("aten::_fused_adamw_", "multi_tensor_apply", us, "[[512,512]]");
      of.Blocks(blocks);
      of.Waits(waits);
    };
  };
  const Body usual = updates(200, 64, 300);
  const Told told = TellOfRanks({usual, usual, updates(500, 160, 0), usual});
  EXPECT_EQ(told.first(), "uneven-work") << told.all;
  EXPECT_EQ(told.title.find("other kernels"), std::string::npos) << told.title;
}

// As many blocks on all: the device is slow.
TEST(UnevenWork, EqualLaunchesAreNot) {
  const Body usual = ProductsUnevenWork(100, 64, 300);
  EXPECT_EQ(TellOfRanks({usual, usual, ProductsUnevenWork(130, 64, 0), usual}).all, "slow-gpu ");
}

// Longer batches: three of the products have more blocks, seven as many and take longer, too.
TEST(UnevenWork, SomeOfTheSameBlocksTakeLonger) {
  const Body usual = ProductsUnevenWork(100, 64, 300);
  const Body longer = [](Program& of, int) {
    for (int i = 0; i < 10; ++i) {
      of.Op("aten::mm", "gemm", 130);
      of.Blocks(i < 3 ? 84 : 64);
    }
  };
  EXPECT_EQ(TellOfRanks({usual, usual, longer, usual}).all.substr(0, 12), "uneven-work ");
}

}  // namespace
}  // namespace rankscope
