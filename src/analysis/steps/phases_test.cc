#include "analysis/steps/analyses.h"

#include <gtest/gtest.h>

#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr EventKind kPhasesOp = EventKind::kCpuOp;
constexpr EventKind kAnnotation = EventKind::kUserAnnotation;
constexpr std::string_view kLoader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

Table PhasesOf(RankTrace trace) {
  JobForTest job;
  job.Add(0, std::move(trace));
  return job.Run(PhasesAnalysis());
}

// Thread 1 is the main thread, thread 2 autograd's.
TEST(Phases, AsAnnotationsAndTheAutogradThreadShowThem) {
  const Table table = PhasesOf(
      TraceForTest()
          .Step(1, 0, 1000)
          .Host(1, kAnnotation, kLoader, 0, 100)
          .Host(1, kAnnotation, "DistributedDataParallel.forward", 100, 200)
          .Launch(1, 150, 10)
          .Host(2, kPhasesOp, "autograd::engine::evaluate_function: MmBackward0", 350, 100)
          .Host(2, kPhasesOp, "autograd::engine::evaluate_function: AddBackward0", 470, 130)
          .Launch(2, 360, 10, 2)
          .Launch(3, 365, 10, 2)
          .Host(1, kAnnotation, "Optimizer.step#AdamW.step", 700, 100)
          .Kernel(7, "a", 200, 100, 1)
          .Kernel(7, "b", 400, 200, 2)
          .Kernel(8, "c", 500, 200, 3)
          .Build());
  // The 20 ns between two nodes belong to backward.
  EXPECT_EQ(Rows(table, {"step", "phase", "duration_ns", "share_pct", "works", "device_ns"}),
            "1,data loading,100,10,0,0\n"
            "1,forward,200,20,1,100\n"
            "1,backward,250,25,2,300\n"
            "1,optimizer,100,10,0,0\n"
            "1,other,350,35,0,0\n");
}

TEST(Phases, AStepWithoutMarksRunsForwardFromItsFirstOp) {
  const Table table =
      PhasesOf(TraceForTest()
                   .Step(1, 0, 1000)
                   .Step(2, 1000, 1000)
                   .Host(1, kPhasesOp, "aten::mm", 100, 50)
                   .Host(1, kPhasesOp, "aten::add", 200, 50)
                   .Host(1, kPhasesOp, "autograd::engine::evaluate_function: M", 400, 100)
                   .Host(1, kAnnotation, "Optimizer.step#SGD.step", 600, 100)
                   .Host(1, kPhasesOp, "aten::mul_", 610, 20)
                   .Host(1, kPhasesOp, "aten::mm", 1100, 300)
                   .Host(1, kPhasesOp, "aten::add", 1600, 100)
                   .Build());
  // Step 1 until backward begins; step 2, which has none, until the last op ends.
  EXPECT_EQ(Rows(table, {"step", "phase", "duration_ns"}),
            "1,data loading,0\n1,forward,300\n1,backward,100\n1,optimizer,100\n1,other,500\n"
            "2,data loading,0\n2,forward,600\n2,backward,0\n2,optimizer,0\n2,other,400\n");
}

TEST(Phases, APauseInWhichTheMainThreadWorksIsNoBackward) {
  const Table table = PhasesOf(TraceForTest()
                                   .Step(1, 0, 1000)
                                   .Host(1, kAnnotation, "my backward", 100, 100)
                                   .Host(1, kAnnotation, "## Forward ##", 200, 100)
                                   .Host(1, kPhasesOp, "aten::mm", 210, 50)
                                   .Host(1, kAnnotation, "my backward", 300, 100)
                                   .Build());
  EXPECT_EQ(Rows(table, {"phase", "duration_ns"}),
            "data loading,0\nforward,100\nbackward,200\noptimizer,0\nother,700\n");
}

TEST(Phases, OpsNamedBackwardAreNoBackward) {
  const Table table = PhasesOf(TraceForTest()
                                   .Step(1, 0, 1000)
                                   .Host(1, kPhasesOp, "aten::_softmax_backward_data", 100, 200)
                                   .Build());
  EXPECT_EQ(Rows(table, {"phase", "duration_ns"}),
            "data loading,0\nforward,200\nbackward,0\noptimizer,0\nother,800\n");
}

// PyTorch 1.8 and before have no ops of the engine.
TEST(Phases, NodesOfAutogradShowBackward) {
  const Table table = PhasesOf(TraceForTest()
                                   .Step(1, 0, 1000)
                                   .Host(1, kPhasesOp, "aten::conv2d", 100, 100)
                                   .Host(2, kPhasesOp, "CudnnConvolutionBackward", 300, 100)
                                   .Host(2, kPhasesOp, "torch::autograd::AccumulateGrad", 420, 80)
                                   .Host(2, kPhasesOp, "MulBackward0", 520, 80)
                                   .Build());
  EXPECT_EQ(Rows(table, {"phase", "duration_ns"}),
            "data loading,0\nforward,200\nbackward,300\noptimizer,0\nother,500\n");
}

TEST(Phases, AnAnnotationOfForwardAndBackwardShowsNeither) {
  const Table table = PhasesOf(TraceForTest()
                                   .Step(1, 0, 1000)
                                   .Host(1, kAnnotation, "forward_backward_func", 0, 900)
                                   .Host(1, kPhasesOp, "aten::mm", 100, 100)
                                   .Host(2, kPhasesOp, "MmBackward0", 400, 300)
                                   .Build());
  EXPECT_EQ(Rows(table, {"phase", "duration_ns"}),
            "data loading,0\nforward,300\nbackward,300\noptimizer,0\nother,400\n");
}

TEST(Phases, SumToTheWindowWhateverOverlaps) {
  const Table table = PhasesOf(TraceForTest()
                                   .Step(1, 0, 1000)
                                   .Host(1, kAnnotation, "my backward", 0, 700)
                                   .Host(2, kAnnotation, "optimizer", 500, 300)
                                   .Host(3, kAnnotation, "forward", 100, 900)
                                   .Host(2, kAnnotation, kLoader, 600, 50)
                                   .Build());
  EXPECT_EQ(Rows(table, {"phase", "duration_ns"}),
            "data loading,50\nforward,200\nbackward,650\noptimizer,100\nother,0\n");
}

}  // namespace
}  // namespace rankscope
