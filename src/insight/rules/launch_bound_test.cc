// launch-bound: the device waits for launches of short kernels.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Kernels of 4 us, launched every 10 us: as a graph they would take 4 us each, then come 100 of
// the all-reduce and 5 until the host goes on. All until the first launch goes with that.
TEST(LaunchBound, ShortKernels) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 300; ++i) of.Op("aten::add", "our_kernel", 4);
  });
  EXPECT_EQ(told.ids, "launch-bound ");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_EQ(told.steps, "0-5");
  EXPECT_TRUE(told.places.starts_with(R"([{"op":"aten::add")")) << told.places;
  EXPECT_NEAR(told.gain, 100 * (1 - (300 * 4 + 100 + 5) / told.mean_step), 0.2);
}

// Launched every 10 us, too: the device has always work.
TEST(LaunchBound, KernelsThatTakeLongerThanTheirLaunches) {
  EXPECT_EQ(TellOf([](Program& of, int) {
              for (int i = 0; i < 300; ++i) of.Op("aten::add", "our_kernel", 12);
            }).ids,
            "");
}

// Short ones, too, that wait for a kernel of 3 ms before them, and not for their launches.
TEST(LaunchBound, LaunchesThatAreInTime) {
  const auto told = [](std::int64_t us) {
    return TellOf([=](Program& of, int) {
      of.Op("aten::mm", "gemm", us);
      for (int i = 0; i < 100; ++i) of.Op("aten::add", "our_kernel", 4);
    });
  };
  EXPECT_TRUE(told(10).Has("launch-bound")) << told(10).all;
  EXPECT_FALSE(told(3000).Has("launch-bound")) << told(3000).all;
}

// The host launches 300 short kernels in 3 ms and works 5 ms before one of them: no more than the
// 3 ms are what launches cost.
TEST(LaunchBound, ALongStretchOfTheHostIsNotALaunch) {
  const Told told = TellOf([=](Program& of, int) {
    for (int i = 0; i < 300; ++i) {
      if (i == 150) of.Frame("train.py(7): prepare", [&] { of.Idles(5000); });
      of.Op("aten::add", "our_kernel", 4);
    }
  });
  ASSERT_TRUE(told.Has("launch-bound")) << told.all;
  EXPECT_LT(told.gains.at("launch-bound") / 100 * told.mean_step, 3100);
}

// 87 of 300 are short, 29 %, though the device waits as long as before.
TEST(LaunchBound, FewShortKernels) {
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 for (int i = 0; i < 300; ++i) {
                   of.Op("aten::add", "our_kernel", i % 100 < 29 ? 4 : 10);
                   of.Call("cudaEventRecord", 20);
                 }
               }).Has("launch-bound"));
}

// Forty launches in a loop cost the host more than ten longer kernels elsewhere: the loop is named.
TEST(LaunchBound, NamesWhereLaunchingTakesTheTime) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 10; ++i) of.Op("aten::bmm", "gemm", 9);
    for (int i = 0; i < 40; ++i) of.Op("aten::mm", "gemm", 1);
  });
  ASSERT_EQ(told.first(), "launch-bound") << told.ids;
  EXPECT_TRUE(told.places.starts_with(R"([{"op":"aten::mm")")) << told.places;
}

// 300 short kernels, and so many reads of a value, or every third is a cell of an LSTM.
// A graph launches them: nobody launches them one by one.
TEST(LaunchBound, KernelsOfGraphsAreNotLaunchedOneByOne) {
  const auto kernels_of = [](bool is_graph) {
    TraceForTest trace;
    std::int64_t at = 0;
    for (int step = 0; step < 6; ++step) {
      const std::int64_t begin = at;
      for (int i = 0; i < 100; ++i) {
        const std::int64_t call = 1000 * (step + 1) + (is_graph ? 0 : i);
        if (!is_graph || i == 0)
          trace.Host(1, EventKind::kRuntime, is_graph ? "cudaGraphLaunch" : "cudaLaunchKernel", at,
                     2'000, call);
        trace.Kernel(7, "k", at + 5'000, 2'000, call);
        at += 10'000;
      }
      trace.Step(step, begin, at - begin);
    }
    JobForTest job;
    job.Add(0, trace.Build());
    return Rows(job.Run(FindingsAnalysis()), {"id"});
  };
  EXPECT_NE(kernels_of(false).find("launch-bound"), std::string::npos) << kernels_of(false);
  EXPECT_EQ(kernels_of(true).find("launch-bound"), std::string::npos) << kernels_of(true);
}

TEST(LaunchBound, SaysWhatComesBeforeGraphs) {
  const auto change = [](int reads, bool has_cells) {
    return TellOf([=](Program& of, int) {
             for (int i = 0; i < 300; ++i) {
               const bool is_cell = has_cells && i % 3 == 0;
               of.Op(is_cell ? "aten::_thnn_fused_lstm_cell" : "aten::mm", "our_kernel", 4);
               if (reads > 0 && i % (300 / reads) == 0) of.Synchronise("cudaStreamSynchronize");
             }
           })
        .change;
  };
  EXPECT_TRUE(change(10, false).starts_with("No graph can be captured across the "))
      << change(10, false);
  EXPECT_TRUE(change(0, false).starts_with("torch.compile(")) << change(0, false);
  EXPECT_TRUE(
      change(0, true).starts_with("nn.LSTM or nn.GRU in place of the loop over their cells, "
                                  "100 calls a step"))
      << change(0, true);
}

}  // namespace
}  // namespace rankscope
