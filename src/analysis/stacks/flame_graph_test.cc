#include "analysis/stacks/analyses.h"

#include <gtest/gtest.h>

#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr EventKind kFlameGraphPython = EventKind::kPythonFunction;
const std::vector<std::string_view> kFlameGraphShown = {
    "frame",         "parent",       "level",           "name",          "kind", "count",
    "host_total_ns", "host_self_ns", "device_total_ns", "device_self_ns"};

// Step |0---100|, in it main |5-95|, in that a module |10-50| with an op |15-45| that launches a
// kernel of 30 ns and a collective of 8 ns; main copies for 12 ns; 5 ns of a kernel have no call.
TraceForTest ProgramFlameGraph(std::int64_t step = 3) {
  TraceForTest trace;
  trace.Step(step, 0, 100).Host(1, kFlameGraphPython, "a.py(1): main", 5, 90);
  trace.Host(1, kFlameGraphPython, "nn.Module: Linear_0", 10, 40);
  trace.Host(1, EventKind::kCpuOp, "aten::linear", 15, 30);
  trace.Launch(1, 20, 2).Launch(2, 24, 2).Launch(3, 60, 4);
  trace.Kernel(7, "gemm", 30, 30, 1).Kernel(8, "ncclDevKernel_AllReduce", 30, 8, 2);
  trace.Copy(7, 64, 70, 12, 3).Kernel(7, "gemm", 90, 5);
  return trace;
}

TEST(FlameGraph, FramesWithTheirTimes) {
  const Table table = JobForTest().Add(0, ProgramFlameGraph().Build()).Run(FlameGraphAnalysis());
  EXPECT_EQ(Rows(table, kFlameGraphShown),
            "0,,0,(all),,,100,0,55,0\n"
            "1,0,1,ProfilerStep,annotation,1,100,10,50,0\n"
            "2,1,2,a.py(1): main,python,1,90,46,50,0\n"
            "3,2,3,nn.Module: Linear,module,1,40,10,38,0\n"
            "4,3,4,aten::linear,op,1,30,26,38,0\n"
            "5,4,5,gemm,kernel,1,0,0,30,30\n"
            "6,4,5,ncclDevKernel_AllReduce,communication,1,0,0,8,8\n"
            "7,4,5,cudaLaunchKernel,call,2,4,4,0,0\n"
            "8,2,3,Memcpy HtoD,copy,1,0,0,12,12\n"
            "9,2,3,cudaLaunchKernel,call,1,4,4,0,0\n"
            "10,0,1,(no stack),,0,0,0,5,0\n"
            "11,10,2,gemm,kernel,1,0,0,5,5\n");
}

TEST(FlameGraph, RanksAndStepsAreMergedAndTheLimitKeepsTheSums) {
  TraceForTest other;
  other.Launch(1, 0, 1).Kernel(7, "gemm", 10, 50, 1);
  const JobForTest job = std::move(JobForTest()
                                       .Add(0, ProgramFlameGraph().Build())
                                       .Add(1, ProgramFlameGraph(4).Build(1'000))
                                       .Add(2, other.Build()));
  const std::vector<std::string_view> columns = {
      "frame", "name", "count", "host_total_ns", "device_total_ns", "device_self_ns"};
  // Each rank keeps four frames: the step, main and, by the device, the module and its op; the
  // third rank has its call and its kernel only.
  EXPECT_EQ(Rows(job.Run(FlameGraphAnalysis(), {{"frames", "4"}}), columns),
            "0,(all),,201,160,0\n"
            "1,ProfilerStep,2,200,100,0\n"
            "2,a.py(1): main,2,180,100,0\n"
            "3,nn.Module: Linear,2,80,76,0\n"
            "4,aten::linear,2,60,76,0\n"
            "5,(others),8,8,76,76\n"
            "6,(others),4,8,24,24\n"
            "7,(others),4,1,60,60\n");
}

TEST(FlameGraph, LayersAreOneFrame) {
  TraceForTest trace;
  trace.Host(1, kFlameGraphPython, "nn.Module: Block_0", 0, 10)
      .Host(1, kFlameGraphPython, "nn.Module: Block_17", 20, 5);
  trace.Host(1, kFlameGraphPython, "nn.Module: Block_v2", 30, 4)
      .Host(1, kFlameGraphPython, "nn.Module: 12", 40, 3);
  trace.Host(1, EventKind::kCpuOp, "op_1", 50, 2).Host(1, EventKind::kCpuOp, "op_2", 60, 1);
  EXPECT_EQ(Rows(JobForTest().Add(0, trace.Build()).Run(FlameGraphAnalysis()),
                 {"name", "count", "host_self_ns"}),
            "(all),,0\n"
            "nn.Module: Block,2,15\n"
            "nn.Module: Block_v2,1,4\n"
            "nn.Module: 12,1,3\n"
            "op_1,1,2\n"
            "op_2,1,1\n");
}

TEST(FlameGraph, StepsThatAreAskedFor) {
  TraceForTest trace = ProgramFlameGraph(3);
  trace.Step(4, 100, 50).Launch(9, 110, 2).Kernel(7, "gemm", 120, 20, 9);
  const std::vector<std::string_view> columns = {"name", "host_total_ns", "device_total_ns"};
  EXPECT_EQ(Rows(JobForTest().Add(0, trace.Build()).Run(FlameGraphAnalysis(), {}, {{4}}), columns),
            "(all),50,20\nProfilerStep,50,20\ngemm,0,20\ncudaLaunchKernel,2,0\n");
}

TEST(FlameGraph, ATraceWithoutFrames) {
  EXPECT_EQ(JobForTest().Add(0, TraceForTest().Build()).Run(FlameGraphAnalysis()).row_count(), 0U);
}

}  // namespace
}  // namespace rankscope
