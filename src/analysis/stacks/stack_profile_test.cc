#include "analysis/stacks/stack_profile.h"

#include <gtest/gtest.h>

#include "stage/job_for_test.h"

namespace rankscope {
namespace {

const std::vector<std::string_view> kStackProfileShown = {"parent", "name", "host_ns", "device_ns"};

// Two steps of 100 ns with an op of 30 ns that launches a kernel in 2 ns, of `kernel` ns in the
// first step and of 5 ns more in the second.
RankTrace ProgramStackProfile(std::int64_t kernel) {
  TraceForTest trace;
  trace.Step(1, 0, 100).Host(1, EventKind::kCpuOp, "aten::mm", 10, 30).Launch(1, 20, 2);
  trace.Step(2, 100, 100).Host(1, EventKind::kCpuOp, "aten::mm", 110, 30).Launch(2, 120, 2);
  trace.Kernel(7, "gemm", 40, kernel, 1).Kernel(7, "gemm", 140, kernel + 5, 2);
  return trace.Build();
}

TEST(StackProfile, SumsOverRanksAndSteps) {
  const JobForTest job =
      std::move(JobForTest().Add(0, ProgramStackProfile(10)).Add(1, ProgramStackProfile(20)));
  // 4 steps of 70 ns without the op, 4 ops of 28 ns without the call; 10 + 15 + 20 + 25 ns.
  EXPECT_EQ(Rows(job.Run(StackProfileAnalysis()), kStackProfileShown),
            ",ProfilerStep,280,0\n"
            "0,aten::mm,112,0\n"
            "1,cudaLaunchKernel,8,0\n"
            "2,gemm,0,70\n");
}

TEST(StackProfile, OfChosenSteps) {
  const JobForTest job =
      std::move(JobForTest().Add(0, ProgramStackProfile(10)).Add(1, ProgramStackProfile(20)));
  EXPECT_EQ(Rows(job.Run(StackProfileAnalysis(), {}, StepFilter({2})), kStackProfileShown),
            ",ProfilerStep,140,0\n"
            "0,aten::mm,56,0\n"
            "1,cudaLaunchKernel,4,0\n"
            "2,gemm,0,40\n");
}

TEST(StackProfile, ByRank) {
  const JobForTest job =
      std::move(JobForTest().Add(0, ProgramStackProfile(10)).Add(1, ProgramStackProfile(20)));
  EXPECT_EQ(Rows(job.Run(StackProfileAnalysis(), {{"by_rank", "1"}}), kStackProfileShown),
            ",rank 1,0,0\n"
            "0,ProfilerStep,140,0\n"
            "1,aten::mm,56,0\n"
            "2,cudaLaunchKernel,4,0\n"
            "3,gemm,0,45\n"
            ",rank 0,0,0\n"
            "5,ProfilerStep,140,0\n"
            "6,aten::mm,56,0\n"
            "7,cudaLaunchKernel,4,0\n"
            "8,gemm,0,25\n");
}

}  // namespace
}  // namespace rankscope
