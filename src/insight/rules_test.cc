// Rules one by one, on programs that are the same on two ranks: with what a rule looks for and
// without it, so that what the cause costs is known exactly.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

void Products(Program& program, int count) {
  for (int i = 0; i < count; ++i) program.Product();
}

// The cause is found first, on both ranks, and gains what the program without it saves.
void ExpectFound(std::string_view id, const Body& with, const Body& without,
                 double within_points = 0.5) {
  SCOPED_TRACE(id);
  const Told bad = TellOf(with), good = TellOf(without);
  EXPECT_EQ(bad.ids.substr(0, bad.ids.find(' ')), id) << bad.ids;
  EXPECT_EQ(bad.ranks, "0-1");
  EXPECT_NEAR(bad.gain, 100 * (1 - good.mean_step / bad.mean_step), within_points) << bad.title;
  EXPECT_EQ(good.ids, "");
}

TEST(Rules, AProgramWithoutACause) {
  const Told told = TellOf([](Program& program, int) { Products(program, 10); });
  EXPECT_EQ(told.ids, "");
  // The first product begins 12 us behind the step, the last work ends 26 us before the next one's.
  EXPECT_EQ(told.mean_step, 12 + 10 * 100 + 100 + 26);
}

TEST(Rules, HostSync) {
  const auto program = [](int syncs) {
    return [=](Program& of, int) {
      for (int i = 0; i < 10; ++i) {
        of.Product();
        if (i < syncs) of.Synchronise("cudaStreamSynchronize");
      }
    };
  };
  ExpectFound("host-sync", program(9), program(0));
}

// The wait for the loss and one shortly before, for the norm of gradients; the same one earlier is
// not what a loop needs.
TEST(Rules, TwoWaitsAtTheEndOfAStepAreOrdinary) {
  const auto waiting_behind = [](int product) {
    return [=](Program& of, int) {
      for (int i = 0; i < 5; ++i) {
        of.Product();
        if (i != product) continue;
        of.Synchronise("cudaStreamSynchronize");
        of.Call("cudaEventRecord", 20);
      }
    };
  };
  EXPECT_EQ(TellOf(waiting_behind(4)).ids, "");
  EXPECT_EQ(TellOf(waiting_behind(1)).ids, "host-sync ");
}

TEST(Rules, AllocatorThrash) {
  ExpectFound(
      "allocator-thrash",
      [](Program& of, int) {
        for (int i = 0; i < 10; ++i) {
          of.Product();
          of.Synchronise("cudaFree");
          of.Call("cudaMalloc", 60);
        }
      },
      [](Program& of, int) { Products(of, 10); });
}

// Two that ask for one that gives back.
TEST(Rules, MemoryPressure) {
  ExpectFound(
      "memory-pressure",
      [](Program& of, int) {
        for (int i = 0; i < 10; ++i) {
          of.Product();
          of.Call("cudaMalloc", 60);
          of.Synchronise("cudaFree");
          of.Call("cudaMalloc", 60);
        }
      },
      [](Program& of, int) { Products(of, 10); });
}

TEST(Rules, RedundantCopies) {
  const auto program = [](bool copies) {
    return [=](Program& of, int) {
      for (int i = 0; i < 10; ++i) {
        of.Product();
        if (copies) of.Op("aten::contiguous", "elementwise_kernel_copy", 40);
      }
    };
  };
  ExpectFound("redundant-copies", program(true), program(false));
}

// 60 updates of 20 us: a fused one moves 28 bytes where they move 76.
TEST(Rules, UnfusedOptimizer) {
  const auto program = [](int count, std::int64_t us, std::string_view op) {
    return [=](Program& of, int) {
      Products(of, 10);
      of.Range("Optimizer.step#AdamW.step", [&] {
        for (int i = 0; i < count; ++i) of.Op(op, "elementwise_kernel", us);
      });
    };
  };
  ExpectFound("unfused-optimizer", program(60, 20, "aten::addcmul_"),
              program(1, 60 * 20 * 28 / 76, "aten::_fused_adamw_"));
}

// Kernels of 4 us, launched every 10 us: as a graph they would take 4 us each, then come 100 of
// the all-reduce and 5 until the host goes on. All until the first launch goes with that.
TEST(Rules, LaunchBound) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 300; ++i) of.Op("aten::add", "gemv_kernel", 4);
  });
  EXPECT_EQ(told.ids, "launch-bound ");
  EXPECT_NEAR(told.gain, 100 * (1 - (300 * 4 + 100 + 5) / told.mean_step), 0.2);
}

// 2 x 1024^3 FLOPs at 312 TFLOP/s take 6.883 us; at half of that 13.77 in place of 200.
TEST(Rules, NoTensorCores) {
  const auto program = [](std::string_view kernel, std::int64_t us) {
    return [=](Program& of, int) {
      for (int i = 0; i < 10; ++i) of.Op("aten::mm", kernel, us, "[[1024,1024],[1024,1024]]");
    };
  };
  const Told told = TellOf(program("ampere_sgemm_128x64_nn", 200));
  EXPECT_EQ(told.ids, "no-tensor-cores ");
  EXPECT_NEAR(told.gain, 100 * 10 * (200 - 2 * 6.883) / told.mean_step, 0.25);
  EXPECT_EQ(told.title,
            "100 % of the time of matrix products is in fp32 kernels that use no tensor cores");
  // The same on tensor cores, at half of the roof.
  EXPECT_EQ(TellOf(program("ampere_bf16_s16816gemm_128x64", 14)).ids, "");
}

// One in ten products reaches half of the roof, the others a tenth of it.
TEST(Rules, LowRoofline) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 10; ++i)
      of.Op("aten::mm", "ampere_bf16_s16816gemm_128x64", i < 6 ? 14 : 69,
            "[[1024,1024],[1024,1024]]");
  });
  EXPECT_EQ(told.ids, "low-roofline ");
  EXPECT_NEAR(told.gain, 100 * 4 * (69 - 2 * 6.883) / told.mean_step, 0.5);
}

TEST(Rules, UnfusedAttention) {
  const auto program = [](bool is_fused) {
    return [=](Program& of, int) {
      for (int i = 0; i < 6; ++i) {
        of.Op("aten::bmm", "gemm", 100);
        if (!is_fused) {
          of.Op("aten::mul", "vectorized_elementwise_kernel", 50);
          of.Op("aten::_softmax", "softmax_warp_forward", 60);
        }
        of.Op("aten::bmm", "gemm", 100);
        of.Op("aten::mm", "gemm", 100);
        of.Op("aten::mm", "gemm", 100);
      }
    };
  };
  ExpectFound("unfused-attention", program(false), program(true));
}

TEST(Rules, UnfusedElementwise) {
  const auto program = [](bool is_fused) {
    return [=](Program& of, int) {
      for (int i = 0; i < 8; ++i) {
        of.Product();
        of.Op("aten::add", "vectorized_elementwise_kernel", 60);
        if (is_fused) continue;
        of.Op("aten::mul", "vectorized_elementwise_kernel", 50);
        of.Op("aten::gelu", "vectorized_elementwise_kernel", 40);
      }
    };
  };
  ExpectFound("unfused-elementwise", program(false), program(true));
}

// 30 all-reduces of 1 MB and 40 us each, of which 15 are latency: in buckets of 25 MB they take
// 25 us and 15/25 of latency.
TEST(Rules, SmallCollectives) {
  const auto program = [](int count) {
    return [=](Program& of, int) {
      Products(of, 10);
      for (int i = 0; i < count; ++i) of.Collective("allreduce", 1'000'000, 40);
    };
  };
  const Told told = TellOf(program(30));
  EXPECT_EQ(told.ids.substr(0, told.ids.find(' ')), "small-collectives") << told.ids;
  // Through 1 MB, 40 us and 40 MB, 100 us goes a line of 38.46 us and 1.538 us per MB.
  EXPECT_NEAR(told.gain, 100 * 30 * (40 - 1.538 - 38.46 / 25) / told.mean_step, 0.5);
  EXPECT_EQ(TellOf(program(5)).ids.find("small-collectives"), std::string::npos);
}

TEST(Rules, RedundantCollectives) {
  const auto program = [](bool broadcasts) {
    return [=](Program& of, int) {
      Products(of, 10);
      if (broadcasts) of.Collective("broadcast", 4'000'000, 300);
    };
  };
  ExpectFound("redundant-collectives", program(true), program(false));
}

// A broadcast in one step only is a start.
TEST(Rules, ABroadcastOnceIsNotRedundant) {
  EXPECT_EQ(TellOf([](Program& of, int step) {
              Products(of, 10);
              if (step == 1) of.Collective("broadcast", 4'000'000, 300);
            }).ids,
            "");
}

// 10 MB more after each step: from 1.05 GB to what the device has, or to the 80 GB of which it is
// taken to be.
TEST(Rules, MemoryLeak) {
  const auto program = [](std::int64_t bytes) {
    return [=](Program& of, int step) {
      Products(of, 10);
      of.Memory(bytes, 1'000'000'000 + step * bytes);
    };
  };
  const Told told = TellOf(program(10'000'000));
  EXPECT_EQ(told.ids, "memory-leak ");
  EXPECT_EQ(told.title,
            "allocated memory grows by 10 MB with every step on all ranks: at this rate 80 GB "
            "(assumed: the traces do not state what the device has) are full in 7895 steps");
  EXPECT_EQ(TellOf(program(10'000'000), 6, 24'000'000'000).title,
            "allocated memory grows by 10 MB with every step on all ranks: at this rate 24 GB are "
            "full in 2295 steps");
  EXPECT_EQ(TellOf(program(100'000)).ids, "");
}

// A layer whose experts get so many tokens on a rank, of 640 on both: an exchange takes 1 us for 8
// tokens of the fuller rank, and the other one waits for that in the second.
void Experts(Program& of, std::int64_t tokens) {
  const std::int64_t most = std::max(tokens, 640 - tokens);
  const auto exchange = [&](std::int64_t us) {
    of.Exchange({.name = "all_to_allv",
                 .in = 1024 * tokens,
                 .out = 1024 * tokens,
                 .group = "1",
                 .description = "EXPERT_MODEL_PARALLEL_GROUP"},
                us);
  };
  exchange(most / 8);
  of.Op("our::experts", "grouped_gemm", tokens, fmt::format("[[{},1024],[1024,1024]]", tokens));
  exchange(most / 8 + most - tokens);
}

// The fuller rank is another one in each step: both take 4 * (240 + 400) / 2 us a step in the mean.
TEST(Rules, ExpertImbalance) {
  const auto program = [](std::int64_t even_step, std::int64_t odd_step) {
    return [=](Program& of, int step) {
      for (int layer = 0; layer < 4; ++layer) Experts(of, step % 2 == 0 ? even_step : odd_step);
      Products(of, 10);
    };
  };
  const Told uneven = TellOfRanks({program(240, 400), program(400, 240)}, 8);
  const Told even = TellOfRanks({program(320, 320), program(320, 320)}, 8);
  EXPECT_EQ(uneven.ids, "expert-imbalance ");
  EXPECT_EQ(uneven.ranks, "0-1");
  EXPECT_EQ(uneven.title,
            "experts get uneven loads: kernels that depend on them take from 1.28 ms to 1.28 ms a "
            "step on single ranks");
  EXPECT_NEAR(uneven.gain, 100 * (1 - even.mean_step / uneven.mean_step), 0.5);
  EXPECT_EQ(even.ids, "");
}

// Without groups of experts sizes that differ by rank are those of sequences.
TEST(Rules, SequenceImbalance) {
  const auto program = [](std::int64_t even_step, std::int64_t odd_step) {
    return [=](Program& of, int step) {
      const std::int64_t tokens = step % 2 == 0 ? even_step : odd_step;
      of.Op("our::layer", "grouped_gemm", tokens, fmt::format("[[{},1024]]", tokens));
      Products(of, 10);
      // The rank with fewer waits.
      of.Collective("allreduce", 40'000'000, 100 + std::max(tokens, 640 - tokens) - tokens);
    };
  };
  const Told uneven = TellOfRanks({program(240, 400), program(400, 240)}, 9);
  const Told even = TellOfRanks({program(320, 320), program(320, 320)}, 9);
  EXPECT_EQ(uneven.ids, "sequence-imbalance ");
  EXPECT_EQ(uneven.ranks, "0-1");
  EXPECT_NEAR(uneven.gain, 100 * (1 - even.mean_step / uneven.mean_step), 0.5);
  EXPECT_EQ(even.ids, "");
}

}  // namespace
}  // namespace rankscope
