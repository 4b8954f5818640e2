// overlap, kernel_classes, class_overlap and utilisation of one small device, every number by hand.
#include <gtest/gtest.h>

#include <limits>

#include "analysis/device/analyses.h"
#include "analysis/steps/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

KernelArgs Fills(float blocks_per_sm, float occupancy_pct) {
  KernelArgs args;
  args.blocks_per_sm = blocks_per_sm;
  args.occupancy_pct = occupancy_pct;
  return args;
}

// Steps [0, 1000) and [1000, 2000).
//   stream 7   gemm [100, 400)   elementwise [400, 500)   gemm [900, 1100)
//   stream 20  nccl [300, 600)                            nccl [1500, 1600)
//   stream 21  copy [550, 700)
JobForTest OneDevice() {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 1000)
                 .Step(2, 1000, 1000)
                 .Kernel(7, "ampere_sgemm", 100, 300)
                 .Args(Fills(0.5F, 40))
                 .Kernel(7, "elementwise_kernel", 400, 100)
                 .Args(Fills(2.0F, 80))
                 .Kernel(7, "ampere_sgemm", 900, 200)
                 .Kernel(20, "ncclDevKernel_AllReduce", 300, 300)
                 .Args(Fills(0.25F, 10))
                 .Kernel(20, "ncclDevKernel_AllReduce", 1500, 100)
                 .Copy(21, 1000, 550, 150)
                 .Build());
  return job;
}

TEST(Overlap, ByHand) {
  // Step 1: nccl [300, 600) meets compute [100, 500): 200 hidden; copy [550, 700) meets nccl: 50.
  EXPECT_EQ(Rows(OneDevice().Run(OverlapAnalysis()),
                 {"step", "duration_ns", "compute_ns", "communication_ns", "copy_ns",
                  "communication_hidden_ns", "communication_hidden_pct", "copy_hidden_ns",
                  "copy_hidden_pct"}),
            "1,1000,500,300,150,200,66.66666666666667,50,33.333333333333336\n"
            "2,1000,100,100,0,0,0,0,\n");
}

TEST(Overlap, AgreesWithTheBreakdown) {
  const Table overlap = OneDevice().Run(OverlapAnalysis());
  const Table breakdown = OneDevice().Run(TimeBreakdownAnalysis());
  for (std::size_t row = 0; row < overlap.row_count(); ++row) {
    EXPECT_EQ(IntCell(overlap, row, "communication_ns"),
              IntCell(overlap, row, "communication_hidden_ns") +
                  IntCell(breakdown, row, "exposed_communication_ns"));
  }
}

TEST(KernelClasses, ByHand) {
  // The gemm that begins in step 1 counts there; its time is divided between both.
  EXPECT_EQ(Rows(OneDevice().Run(KernelClassesAnalysis()),
                 {"step", "class", "count", "total_ns", "busy_ns", "alone_ns", "share_pct"}),
            "1,gemm,2,500,400,300,57.142857142857146\n"
            "1,elementwise,1,100,100,0,14.285714285714286\n"
            "1,nccl,1,300,300,50,42.857142857142854\n"
            "1,memory,1,150,150,100,21.428571428571427\n"
            "2,gemm,0,0,100,100,50\n"
            "2,nccl,1,100,100,100,50\n");
}

TEST(ClassOverlap, SumsToTheBusyTime) {
  // Busy in step 1: [100, 700) and [900, 1000).
  EXPECT_EQ(
      Rows(OneDevice().Run(ClassOverlapAnalysis()), {"step", "classes", "class_count", "time_ns"}),
      "1,gemm,1,300\n"
      "1,nccl,1,50\n"
      "1,gemm + nccl,2,100\n"
      "1,elementwise + nccl,2,100\n"
      "1,memory,1,100\n"
      "1,nccl + memory,2,50\n"
      "2,gemm,1,100\n"
      "2,nccl,1,100\n");
}

TEST(ClassOverlap, WorkOfOneClassThatTouchesOrOverlapsIsOneStretch) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 100)
                 .Kernel(7, "sgemm", 10, 20)
                 .Kernel(8, "sgemm", 20, 20)
                 .Kernel(7, "sgemm", 40, 10)
                 .Kernel(7, "sgemm", 60, 0)
                 .Build());
  EXPECT_EQ(Rows(job.Run(ClassOverlapAnalysis()), {"classes", "time_ns"}), "gemm,40\n");
}

TEST(Utilisation, ByHand) {
  // Step 1. Blocks per SM: [100, 300) 0.5, [300, 400) 0.75, [400, 500) min(1, 2.25), [500, 600)
  // 0.25: 100 + 75 + 100 + 25 = 300 of 900: nothing has a launch, so the first 100 ns were not
  // observed, nor the last 400. Occupancy: (40 * 300 + 80 * 100 + 10 * 300) / 700.
  // Known: 700 of the 800 ns that kernels run in the step.
  EXPECT_EQ(Rows(OneDevice().Run(UtilisationAnalysis()),
                 {"step", "busy_ns", "busy_pct", "kernel_ns", "sm_efficiency_pct", "occupancy_pct",
                  "known_pct"}),
            "1,700,77.77777777777777,600,33.333333333333336,32.857142857142854,87.5\n"
            "2,200,33.333333333333336,200,,,0\n");
}

// A kernel that began before the window fills it all the same. Nothing has a launch: of the windows
// [50, 100) and [100, 180) were observed.
TEST(Utilisation, OfKernelsFromBeforeTheWindowAndOfNone) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 100)
                 .Step(2, 100, 100)
                 .Step(3, 200, 100)
                 .Kernel(7, "a", 50, 130)
                 .Args(Fills(0.5F, 40))
                 .Build());
  EXPECT_EQ(Rows(job.Run(UtilisationAnalysis()),
                 {"step", "kernel_ns", "sm_efficiency_pct", "occupancy_pct", "known_pct"}),
            "1,50,50,40,100\n2,80,50,,100\n3,0,,,\n");
}

TEST(Utilisation, AbsurdArgumentsDoNotSpoilTheRest) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 100)
                 .Kernel(7, "a", 0, 50)
                 .Args(Fills(std::numeric_limits<float>::infinity(), 1e30F))
                 .Kernel(8, "b", 20, 60)
                 .Args(Fills(0.5F, 40))
                 .Build());
  EXPECT_EQ(Rows(job.Run(UtilisationAnalysis()), {"sm_efficiency_pct", "known_pct"}),
            "81.25,100\n");  // 65 of the 80 ns that were observed
}

TEST(Utilisation, NothingIsKnownWithoutArguments) {
  JobForTest job;
  job.Add(0, TraceForTest().Step(1, 0, 100).Copy(7, 10, 10, 20).Build());
  EXPECT_EQ(Rows(job.Run(UtilisationAnalysis()),
                 {"busy_ns", "kernel_ns", "sm_efficiency_pct", "occupancy_pct", "known_pct"}),
            "20,0,,,\n");
}

}  // namespace
}  // namespace rankscope
