#include <gtest/gtest.h>

#include "analysis/graphs/analyses.h"
#include "analysis/roofline/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr EventKind kGraphsOp = EventKind::kCpuOp;
constexpr EventKind kCall = EventKind::kRuntime;
constexpr EventKind kGraphsPython = EventKind::kPythonFunction;

// A capture from t on, inside the modules of a layer.
void Capture(TraceForTest& trace, std::int64_t t, int layer, bool names) {
  const auto launch = [&](std::string_view call, std::string_view kernel, std::int64_t ts) {
    trace.Host(1, kCall, call, ts, 1, 1000 + ts);
    if (names && !kernel.empty()) trace.Launched(kernel);
  };
  trace.Host(1, kCall, "hipStreamBeginCapture", t, 1)
      .Host(1, kGraphsPython, "nn.Module: Net_0", t + 5, 80)
      .Host(1, kGraphsPython, "nn.Module: Block_" + std::to_string(layer), t + 6, 50)
      .Host(1, kGraphsPython, "my/net.py(7): forward", t + 7, 48)
      .Host(1, kGraphsPython, "torch/_ops.py(1): __call__", t + 8, 46)
      .Op(1, "aten::mm", t + 10, 9, "[[8,8],[8,8]]", "[\"float\",\"float\"]");
  launch("hipLaunchKernel", "gemm", t + 12);
  trace.Op(1, "aten::relu", t + 20, 9, "[[8,8]]");
  launch("hipLaunchKernel", "relu", t + 22);
  trace.Op(1, "aten::mm", t + 30, 9, "[[8,8],[8,4]]", "[\"float\",\"float\"]");
  launch("hipLaunchKernel", "gemm", t + 32);
  trace.Host(1, kGraphsOp, "aten::copy_", t + 40, 9);
  launch("hipMemcpyAsync", "", t + 42);
  launch("hipLaunchKernel", "triton", t + 60);  // no op
  trace.Host(1, kCall, "hipStreamEndCapture", t + 90, 1);
}

TraceForTest Captured(int layer, bool names) {
  TraceForTest trace;
  Capture(trace, 0, layer, names);
  return trace;
}

// A launch of that graph: gemm 5, relu 3, gemm 7, copy 2, triton 1, one after the other from t on.
void Replay(TraceForTest& trace, std::int64_t t, std::int64_t correlation) {
  trace.Host(1, kCall, "hipGraphLaunch", t, 5, correlation)
      .Kernel(7, "gemm", t + 10, 5, correlation)
      .Kernel(7, "relu", t + 15, 3, correlation)
      .Kernel(7, "gemm", t + 20, 7, correlation)
      .Copy(7, 64, t + 30, 2, correlation)
      .Kernel(7, "triton", t + 39, 1, correlation);
}

RankTrace Replays(int launches) {
  TraceForTest trace;
  for (int i = 0; i < launches; ++i) Replay(trace, 1000 * i, i + 1);
  return trace.Build();
}

TEST(Graphs, ByNames) {
  JobForTest job;
  job.Add(0, Captured(3, true).Build()).Add(0, Replays(2), 1);
  // 18 ns of work in 30 ns from the first begin to the last end.
  EXPECT_EQ(Rows(job.Run(GraphsAnalysis()),
                 {"ranks", "launches", "kernels", "copies", "memsets", "streams", "device_ns",
                  "share_pct", "mean_span_ns", "busy_pct", "captures", "owners_by"}),
            "1,2,4,1,0,1,36,100,30,60,1,names\n");
  EXPECT_EQ(Rows(job.Run(GraphOpsAnalysis()), {"op", "module", "nodes", "count", "device_ns"}),
            "aten::mm,Net/Block,2,4,24\n"
            "aten::relu,Net/Block,1,2,6\n"
            "aten::copy_,Net/Block,1,2,4\n"
            "(no op),Net,1,2,2\n");
  EXPECT_EQ(
      Rows(job.Run(GraphNodesAnalysis()), {"kind", "nth", "name", "count", "device_ns", "max_ns",
                                           "op", "module", "function", "shapes", "dtypes"}),
      "copy,0,Memcpy HtoD,2,4,2,aten::copy_,Net_0/Block_3,my/net.py(7): forward,,\n"
      "kernel,0,gemm,2,10,5,aten::mm,Net_0/Block_3,my/net.py(7): forward,[[8,8],[8,8]],"
      "[\"float\",\"float\"]\n"
      "kernel,1,relu,2,6,3,aten::relu,Net_0/Block_3,my/net.py(7): forward,[[8,8]],\n"
      "kernel,2,gemm,2,14,7,aten::mm,Net_0/Block_3,my/net.py(7): forward,[[8,8],[8,4]],"
      "[\"float\",\"float\"]\n"
      "kernel,3,triton,2,2,1,(no op),Net_0,,,\n");
}

// FLOPs of the captured ops over the time of the graph's kernels: [8,8] x [8,8] takes 1024 and 10
// ns twice, [8,8] x [8,4] takes 512. The ReLU has no model without dtypes, copies do not compute.
TEST(Graphs, Roofline) {
  JobForTest job;
  job.Add(0, Captured(0, true).Build()).Add(0, Replays(2), 1);
  EXPECT_EQ(Rows(job.Run(RooflineAnalysis()),
                 {"op", "shapes", "ranks", "count", "device_ns", "flops", "flops_per_s"}),
            "aten::mm,[[8,8],[8,4]],1,2,14,512,73142857142.85715\n"
            "aten::mm,[[8,8],[8,8]],1,2,10,1024,204800000000\n"
            ",,1,,8,,\n");
  // The launch of a graph is no launch of an op around it.
  TraceForTest replay;
  replay.Op(1, "aten::mm", 0, 9, "[[2,2],[2,2]]", "[\"float\",\"float\"]");
  Replay(replay, 1, 1);
  JobForTest alone;
  alone.Add(0, replay.Build());
  EXPECT_EQ(Rows(alone.Run(RooflineAnalysis()), {"op", "device_ns"}), ",16\n");
}

// An op of two kernels runs once: its cost counts once, its time is that of both.
TEST(Graphs, RooflineOfAnOpOfTwoKernels) {
  TraceForTest capture;
  capture.Host(1, kCall, "hipStreamBeginCapture", 0, 1)
      .Op(1, "aten::mm", 5, 20, "[[8,8],[8,8]]", "[\"float\",\"float\"]")
      .Host(1, kCall, "hipMemsetAsync", 6, 1)
      .Host(1, kCall, "hipLaunchKernel", 8, 1)
      .Launched("split_k")
      .Host(1, kCall, "hipLaunchKernel", 12, 1)
      .Launched("reduce")
      .Host(1, kCall, "hipStreamEndCapture", 30, 1);
  TraceForTest replay;
  replay.Host(1, kCall, "hipGraphLaunch", 0, 5, 1)
      .Memset(7, 64, 8, 1, 1)
      .Kernel(7, "split_k", 10, 6, 1)
      .Kernel(7, "reduce", 16, 2, 1);
  JobForTest job;
  job.Add(0, capture.Build()).Add(0, replay.Build(), 1);
  EXPECT_EQ(Rows(job.Run(RooflineAnalysis()), {"op", "count", "device_ns", "flops"}),
            "aten::mm,1,8,1024\n");
}

// Two branches: the device began them the other way round, and kernels of one name keep theirs.
TEST(Graphs, NamesNeedNoOrder) {
  TraceForTest replay;
  replay.Host(1, kCall, "hipGraphLaunch", 0, 5, 1)
      .Kernel(8, "triton", 10, 1, 1)
      .Kernel(7, "gemm", 11, 5, 1)
      .Kernel(8, "relu", 12, 3, 1)
      .Copy(8, 64, 13, 2, 1)
      .Kernel(7, "gemm", 20, 7, 1);
  JobForTest job;
  job.Add(0, Captured(0, true).Build()).Add(0, replay.Build(), 1);
  EXPECT_EQ(Rows(job.Run(GraphsAnalysis()), {"streams", "owners_by"}), "2,names\n");
  EXPECT_EQ(Rows(job.Run(GraphNodesAnalysis()), {"nth", "name", "device_ns", "op", "shapes"}),
            "0,Memcpy HtoD,2,aten::copy_,\n"
            "0,triton,1,(no op),\n"
            "1,gemm,5,aten::mm,[[8,8],[8,8]]\n"
            "2,relu,3,aten::relu,[[8,8]]\n"
            "3,gemm,7,aten::mm,[[8,8],[8,4]]\n");
}

// CUDA's launches name no kernels: the n-th kernel is the n-th launch, if order is known.
TEST(Graphs, ByOrder) {
  JobForTest job;
  job.Add(0, Captured(0, false).Build()).Add(0, Replays(1), 1);
  EXPECT_EQ(Rows(job.Run(GraphsAnalysis()), {"captures", "owners_by"}), "1,order\n");
  EXPECT_EQ(Rows(job.Run(GraphNodesAnalysis()), {"nth", "name", "op", "shapes"}),
            "0,Memcpy HtoD,aten::copy_,\n"
            "0,gemm,aten::mm,[[8,8],[8,8]]\n"
            "1,relu,aten::relu,[[8,8]]\n"
            "2,gemm,aten::mm,[[8,8],[8,4]]\n"
            "3,triton,(no op),\n");

  TraceForTest branches;
  Replay(branches, 0, 1);
  branches.Host(1, kCall, "hipGraphLaunch", 100, 5, 2);
  for (const std::int64_t stream : {7, 8}) {
    branches.Kernel(stream, "a", 110, 5, 2).Kernel(stream, "b", 120, 5, 2);
  }
  branches.Copy(7, 64, 130, 2, 2);
  JobForTest other;
  other.Add(0, Captured(0, false).Build()).Add(0, branches.Build(), 1);
  EXPECT_EQ(Rows(other.Run(GraphsAnalysis()), {"device_ns", "captures", "owners_by"}),
            "22,1,order unknown\n18,1,order\n");
  EXPECT_EQ(Rows(other.Run(GraphOpsAnalysis(), {{"top", "2"}}), {"op", "module", "device_ns"}),
            ",,22\naten::mm,Net/Block,12\n");
}

// Layers that were captured alike: what they have in common is known, also across files.
TEST(Graphs, CapturesThatDiffer) {
  for (const bool in_one_file : {true, false}) {
    JobForTest job;
    if (in_one_file) {
      TraceForTest both = Captured(1, true);
      Capture(both, 1000, 2, true);
      job.Add(0, both.Build());
    } else {
      job.Add(0, Captured(1, true).Build()).Add(1, Captured(2, true).Build());
    }
    job.Add(0, Replays(1), 1);
    EXPECT_EQ(Rows(job.Run(GraphsAnalysis()), {"captures", "owners_by"}), "2,names\n");
    EXPECT_EQ(Rows(job.Run(GraphOpsAnalysis(), {{"top", "1"}}), {"op", "module"}),
              "aten::mm,Net/Block\n");
    EXPECT_EQ(Rows(job.Run(GraphNodesAnalysis()), {"op", "module", "shapes"}),
              "aten::copy_,(captures differ),\n"
              "aten::mm,(captures differ),[[8,8],[8,8]]\n"
              "aten::relu,(captures differ),[[8,8]]\n"
              "aten::mm,(captures differ),[[8,8],[8,4]]\n"
              "(no op),Net_0,\n");
  }
}

TEST(Graphs, WithoutACapture) {
  JobForTest job;
  job.Add(0, Replays(1)).Add(1, Replays(2));
  EXPECT_EQ(Rows(job.Run(GraphsAnalysis()), {"ranks", "launches", "captures", "owners_by"}),
            "2,3,,no capture\n");
  EXPECT_EQ(Rows(job.Run(GraphOpsAnalysis()), {"op", "module", "ranks", "count", "device_ns"}),
            ",,2,15,54\n");
  JobForTest none;
  none.Add(0, Captured(0, true).Build());
  EXPECT_EQ(none.Run(GraphsAnalysis()).row_count(), 0U);
}

// Captures count whether they are selected or not; work does not.
TEST(Graphs, CapturesOfOtherRecordings) {
  JobForTest job;
  job.Add(0, Captured(0, true).Build()).Unselect().Add(0, Replays(1), 1).Unselect();
  job.Add(0, Replays(3), 2);
  EXPECT_EQ(Rows(job.Run(GraphsAnalysis()), {"launches", "captures", "owners_by"}), "3,1,names\n");
}

TEST(Graphs, OneStep) {
  TraceForTest trace;
  trace.Step(1, 0, 100).Step(2, 100, 100);
  Replay(trace, 75, 1);  // of step 1, though its copy and triton kernel begin in step 2
  Replay(trace, 150, 2);
  JobForTest job;
  job.Add(0, Captured(0, true).Build()).Add(0, trace.Build(), 1);
  EXPECT_EQ(Rows(job.Run(GraphsAnalysis(), {}, StepFilter({2})), {"launches", "device_ns"}),
            "1,18\n");
  EXPECT_EQ(Rows(job.Run(GraphOpsAnalysis(), {}, StepFilter({2})), {"op", "count", "device_ns"}),
            "aten::mm,2,12\naten::relu,1,3\naten::copy_,1,2\n(no op),1,1\n");
}

// HIP runs memsets and copies of a graph as kernels of its runtime.
TEST(Graphs, CopiesByKernelsOfTheRuntime) {
  TraceForTest capture;
  capture.Host(1, kCall, "hipStreamBeginCapture", 0, 1)
      .Host(1, kGraphsOp, "aten::zero_", 5, 9)
      .Host(1, kCall, "hipMemsetAsync", 7, 1)
      .Host(1, kCall, "hipStreamEndCapture", 20, 1);
  TraceForTest replay;
  replay.Host(1, kCall, "hipGraphLaunch", 0, 5, 1)
      .Kernel(7, "__amd_rocclr_fillBufferAligned.kd", 10, 1, 1);
  JobForTest job;
  job.Add(0, capture.Build()).Add(0, replay.Build(), 1);
  EXPECT_EQ(Rows(job.Run(GraphNodesAnalysis()), {"kind", "name", "op"}),
            "memset,__amd_rocclr_fillBufferAligned.kd,aten::zero_\n");
}

}  // namespace
}  // namespace rankscope
