// kernel_places of a small trace, by hand.
#include "analysis/kernels/kernel_places.h"

#include <gtest/gtest.h>

#include "analysis/kernels/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr std::string_view kKernelPlacesBf16 = R"(["c10::BFloat16", "c10::BFloat16"])";
constexpr std::string_view kSquare = "[[1024, 1024], [1024, 1024]]";

// On an A100: linear calls mm inside a module and a function of the user, whose gradient autograd
// computes on thread 2; a kernel inside mm's op again from elsewhere; an all-reduce; a copy that no
// call launched.
TraceForTest StepKernelPlaces() {
  TraceForTest trace;
  trace.DeviceName(0, "NVIDIA A100-SXM4-80GB").Step(1, 0, 100'000);
  trace.Host(1, EventKind::kPythonFunction, "model.py(12): forward", 90, 4000)
      .Host(1, EventKind::kPythonFunction, "nn.Module: Linear_0", 95, 3000)
      .Host(1, EventKind::kCpuOp, "aten::linear", 100, 2000)
      .Op(1, "aten::mm", 200, 1000, kSquare, kKernelPlacesBf16)
      .Launch(1, 300, 50)
      .Launch(2, 400, 50);
  trace.Op(1, "aten::mm", 5000, 1000, kSquare, kKernelPlacesBf16).Launch(3, 5100, 50);
  trace.Kernel(7, "s16816gemm", 10'000, 6'000, 1)
      .Kernel(7, "split_k", 16'000, 1'000, 2)
      .Kernel(7, "s16816gemm", 20'000, 10'000, 3)
      .Copy(9, 8, 40'000, 3'000);
  return trace;
}

TEST(KernelPlaces, ByHand) {
  const Table table = JobForTest().Add(0, StepKernelPlaces().Build()).Run(KernelPlacesAnalysis());
  EXPECT_EQ(Rows(table, {"name", "count", "total_ns", "share_pct", "op", "shapes", "module", "line",
                         "phase"}),
            "s16816gemm,1,10000,50,aten::mm,[[1024, 1024], [1024, 1024]],,,other\n"
            "s16816gemm,1,6000,30,aten::mm,[[1024, 1024], [1024, 1024]],Linear,"
            "model.py(12): forward,forward\n"
            "Memcpy HtoD,1,3000,15,,,,,\n"
            "split_k,1,1000,5,aten::mm,[[1024, 1024], [1024, 1024]],Linear,"
            "model.py(12): forward,forward\n");
  // Two runs of 2^31 FLOP take 17,000 ns in three kernels; at 312 TFLOP/s 2 * 6,882.96 ns.
  for (const std::size_t row : {0U, 1U, 3U})
    EXPECT_NEAR(std::get<double>(Cell(table, row, "roofline_pct")), 80.976, 1e-3);
}

TEST(KernelPlaces, RanksAreAddedUp) {
  JobForTest job;
  job.Add(0, StepKernelPlaces().Build()).Add(5, StepKernelPlaces().Build());
  const Table table = job.Run(KernelPlacesAnalysis());
  EXPECT_EQ(Rows(table, {"name", "ranks", "count", "total_ns", "mean_ns"}),
            "s16816gemm,2,2,20000,10000\n"
            "s16816gemm,2,2,12000,6000\n"
            "Memcpy HtoD,2,2,6000,3000\n"
            "split_k,2,2,2000,1000\n");
}

TEST(KernelPlaces, BeyondTheOptionKernelsHaveNoPlace) {
  const Table table = JobForTest()
                          .Add(0, StepKernelPlaces().Build())
                          .Run(KernelPlacesAnalysis(), {{"places", "1"}});
  EXPECT_EQ(Rows(table, {"name", "total_ns", "op", "line"}),
            "s16816gemm,10000,aten::mm,\n"
            "s16816gemm,6000,(others),\n"
            "Memcpy HtoD,3000,(others),\n"
            "split_k,1000,(others),\n");
}

}  // namespace
}  // namespace rankscope
