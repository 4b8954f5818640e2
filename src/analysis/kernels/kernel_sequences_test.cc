#include "analysis/kernels/analyses.h"

#include <gtest/gtest.h>

#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr EventKind kKernelSequencesOp = EventKind::kCpuOp;
const std::vector<std::string_view> kColumns = {"op",    "kernels", "length",
                                                "ranks", "count",   "device_ns"};

// linear calls mm twice: gemm + bias each; between them it launches a copy itself. A third mm
// stands alone and launches bias before gemm.
TraceForTest LinearKernelSequences() {
  TraceForTest trace;
  trace.Host(1, kKernelSequencesOp, "linear", 0, 100)
      .Host(1, kKernelSequencesOp, "mm", 10, 20)
      .Host(1, kKernelSequencesOp, "mm", 60, 20);
  trace.Launch(1, 12, 1).Launch(2, 14, 1).Launch(3, 40, 1).Launch(4, 62, 1).Launch(5, 64, 1);
  trace.Kernel(7, "gemm", 20, 5, 1).Kernel(7, "bias", 30, 2, 2).Copy(8, 4, 45, 1, 3, "copy");
  trace.Kernel(7, "gemm", 70, 6, 4).Kernel(7, "bias", 80, 2, 5);
  trace.Host(1, kKernelSequencesOp, "mm", 200, 20).Launch(6, 202, 1).Launch(7, 204, 1);
  trace.Kernel(7, "bias", 210, 2, 6).Kernel(7, "gemm", 220, 5, 7);
  trace.Host(1, kKernelSequencesOp, "view", 300, 5)
      .Launch(8, 400, 1)
      .Kernel(7, "alone", 410, 50, 8);
  return trace;
}

TEST(KernelSequences, SequencesOfNestedOps) {
  const Table table =
      JobForTest().Add(0, LinearKernelSequences().Build()).Run(KernelSequencesAnalysis());
  EXPECT_EQ(Rows(table, kColumns),
            "linear,gemm | bias | copy | gemm | bias,5,1,1,16\n"
            "mm,gemm | bias,2,1,2,15\n"
            "mm,bias | gemm,2,1,1,7\n");
  EXPECT_DOUBLE_EQ(std::get<double>(Cell(table, 1, "mean_ns")), 7.5);
  EXPECT_DOUBLE_EQ(std::get<double>(Cell(table, 1, "share_pct")), 100.0 * 15 / 22);
}

TEST(KernelSequences, OptionsAndRanks) {
  const JobForTest job = std::move(JobForTest()
                                       .Add(0, LinearKernelSequences().Build())
                                       .Add(3, LinearKernelSequences().Build(7)));
  EXPECT_EQ(Rows(job.Run(KernelSequencesAnalysis(), {{"op", "ine"}}), kColumns),
            "linear,gemm | bias | copy | gemm | bias,5,2,2,32\n");
  EXPECT_EQ(Rows(job.Run(KernelSequencesAnalysis(), {{"sequences", "1"}}), kColumns),
            "(others),,,2,6,44\n"
            "linear,gemm | bias | copy | gemm | bias,5,2,2,32\n");
  EXPECT_EQ(Rows(job.Run(KernelSequencesAnalysis(), {{"op", "nothing"}}), kColumns), "");
}

TEST(KernelSequences, LongSequencesAreCutButCounted) {
  TraceForTest trace;
  trace.Host(1, kKernelSequencesOp, "replay", 0, 50)
      .Host(1, EventKind::kRuntime, "cudaGraphLaunch", 10, 20, 9);
  for (std::int64_t i = 0; i < 25; ++i) trace.Kernel(7, "k", 100 + 10 * i, 8, 9);
  const Table table = JobForTest().Add(0, trace.Build()).Run(KernelSequencesAnalysis());
  EXPECT_EQ(Rows(table, {"length", "device_ns"}), "25,200\n");
  EXPECT_TRUE(std::get<std::string_view>(Cell(table, 0, "kernels")).ends_with("k | and 5 more"));
}

}  // namespace
}  // namespace rankscope
