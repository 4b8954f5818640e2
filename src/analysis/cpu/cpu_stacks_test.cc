#include "analysis/cpu/analyses.h"

#include <gtest/gtest.h>

#include "stage/job_for_test.h"

namespace rankscope {
namespace {

// main |0---100| with f |10-40| and |50-70|, g |12-20| in the first; another thread waits.
TraceForTest SampledCpuStacks() {
  TraceForTest trace;
  trace.CpuSample("cpu 1 (python)", "main", 0, 100).CpuSample("cpu 1 (python)", "f", 10, 30);
  trace.CpuSample("cpu 1 (python)", "g", 12, 8).CpuSample("cpu 1 (python)", "f", 50, 20);
  trace.CpuSample("cpu 2 (python)", "wait", 0, 100);
  trace.Host(1, EventKind::kCpuOp, "mm", 20, 10);
  return trace;
}

const std::vector<std::string_view> kColumns = {"rank",  "thread",  "stack",
                                                "frame", "self_ns", "share_pct"};

TEST(CpuStacks, TimeOfEachThreadByStack) {
  const Table table = JobForTest().Add(0, SampledCpuStacks().Build()).Run(CpuStacksAnalysis());
  EXPECT_EQ(Rows(table, kColumns),
            "0,cpu 1 (python),main,main,50,50\n"
            "0,cpu 1 (python),main;f,f,42,42\n"
            "0,cpu 1 (python),main;f;g,g,8,8\n"
            "0,cpu 2 (python),wait,wait,100,100\n");
}

TEST(CpuStacks, TheLimitKeepsTheSum) {
  const Table table =
      JobForTest().Add(0, SampledCpuStacks().Build()).Run(CpuStacksAnalysis(), {{"stacks", "1"}});
  EXPECT_EQ(Rows(table, kColumns),
            "0,cpu 1 (python),(others),(others),50,50\n"
            "0,cpu 1 (python),main,main,50,50\n"
            "0,cpu 2 (python),wait,wait,100,100\n");
}

TEST(CpuStacks, WithoutSamplesTheTableIsEmpty) {
  TraceForTest trace;
  trace.Host(1, EventKind::kCpuOp, "mm", 0, 10);
  EXPECT_EQ(JobForTest().Add(0, trace.Build()).Run(CpuStacksAnalysis()).row_count(), 0U);
}

}  // namespace
}  // namespace rankscope
