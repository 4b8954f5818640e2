#include "analysis/stacks/analyses.h"

#include <gtest/gtest.h>

#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr EventKind kStacksPython = EventKind::kPythonFunction;

// main |0---100| calls f |10-40| and |50-70|; an op in the second launches 7 ns, main 3 ns, and
// 5 ns have no call.
TraceForTest ProgramStacks() {
  TraceForTest trace;
  trace.Host(1, kStacksPython, "a.py(1): main", 0, 100);
  trace.Host(1, kStacksPython, "f at 0x7f00", 10, 30).Host(1, kStacksPython, "f at 0x7fab", 50, 20);
  trace.Host(1, EventKind::kCpuOp, "mm", 52, 10).Launch(1, 55, 2).Launch(2, 90, 2);
  trace.Kernel(7, "k", 60, 7, 1).Kernel(7, "k", 95, 3, 2).Kernel(7, "k", 200, 5);
  return trace;
}

TEST(Stacks, TimeAndWorkByStack) {
  const Table table = JobForTest().Add(0, ProgramStacks().Build()).Run(StacksAnalysis());
  EXPECT_EQ(Rows(table, {"stack", "frame", "count", "host_self_ns", "device_ns", "kernels"}),
            "a.py(1): main;f,f,2,50,7,1\n"
            "(no stack),(no stack),0,0,5,1\n"
            "a.py(1): main,a.py(1): main,1,50,3,1\n");
  EXPECT_DOUBLE_EQ(std::get<double>(Cell(table, 0, "share_pct")), 100.0 * 7 / 15);
}

TEST(Stacks, RanksAreMergedAndTheLimitsKeepTheSum) {
  TraceForTest without;
  without.Launch(1, 0, 1).Kernel(7, "k", 10, 50, 1);
  const JobForTest job = std::move(JobForTest()
                                       .Add(0, ProgramStacks().Build())
                                       .Add(1, ProgramStacks().Build(9))
                                       .Add(2, without.Build()));
  const std::vector<std::string_view> columns = {"stack", "ranks", "count", "host_self_ns",
                                                 "device_ns"};
  EXPECT_EQ(Rows(job.Run(StacksAnalysis(), {{"stacks", "1"}}), columns),
            "(others),2,2,100,16\na.py(1): main;f,2,4,100,14\n");
  EXPECT_EQ(Rows(job.Run(StacksAnalysis(), {{"top", "1"}}), columns),
            "a.py(1): main;f,2,4,100,14\n");
}

TEST(Stacks, WithoutPythonFunctionsTheTableIsEmpty) {
  TraceForTest trace;
  trace.Host(1, EventKind::kCpuOp, "mm", 0, 10).Launch(1, 5, 2).Kernel(7, "k", 10, 5, 1);
  EXPECT_EQ(JobForTest().Add(0, trace.Build()).Run(StacksAnalysis()).row_count(), 0U);
}

}  // namespace
}  // namespace rankscope
