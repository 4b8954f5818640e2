#include "trace/step_marks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

constexpr const char* kLoader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
constexpr const char* kOptimizer = "Optimizer.step#SGD.step";

// "NUMBER [BEGIN, END) PHASE cut", a step a line, and what marks them.
std::string StepsOf(const RankTrace& trace) {
  std::string text;
  for (const Step& step : trace.steps) {
    text += std::to_string(step.number) + " [" + std::to_string(step.begin_ns) + ", " +
            std::to_string(step.end_ns) + ")";
    if (step.phase != StepPhase::kNone) text += " " + std::string(ToString(step.phase));
    if (step.complete == 0) text += " cut";
    text += "\n";
  }
  if (!trace.steps.empty()) text += ToString(trace.steps[0].source);
  return text;
}

TEST(EngineSteps, HaveTheirPhases) {
  TestTrace test;
  test.Annotation("execute_context_1(512)_generation_3(3)", 0, 28);
  test.Annotation("execute_context_0(0)_generation_4(4)", 30, 7);
  test.Annotation("execute_context_0(0)_generation_4(4)", 40, 7);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(StepsOf(trace), "0 [0, 30) mixed\n1 [30, 40) decode\n2 [40, 47) decode\nengine");
  EXPECT_EQ(trace.steps[0].inferred, 1);
}

TEST(EngineSteps, TheOuterOfTwoMarksCounts) {
  TestTrace test;
  for (std::int64_t i = 0; i < 3; ++i) {
    test.Annotation("execute_4_context_0(0)_generation_4(4)", 10 * i, 9);
    test.Annotation("step[DECODE bs=4]", 10 * i + 1, 7);
  }
  EXPECT_EQ(StepsOf(test.Finish()),
            "0 [0, 10) decode\n1 [10, 20) decode\n2 [20, 29) decode\nengine");
}

TEST(EngineSteps, NumbersOfTheEngineStay) {
  TestTrace test;
  test.Annotation("[Executor] _forward_step 7: 1 ctx reqs, 0 gen reqs", 0, 9);
  test.Annotation("[Executor] _forward_step 8: 0 ctx reqs, 1 gen reqs", 10, 9);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(StepsOf(trace), "7 [0, 10) prefill\n8 [10, 19) decode\nengine");
  EXPECT_EQ(trace.steps[0].inferred, 0);
}

// A decode between prefills is no stub of one.
TEST(EngineSteps, AreCutByTheLikeOfTheirPhase) {
  TestTrace test;
  test.Annotation("step[EXTEND bs=1]", 0, 10);  // its like take 100
  test.Annotation("step[EXTEND bs=1]", 100, 100);
  test.Annotation("step[EXTEND bs=1]", 200, 100);
  test.Annotation("step[DECODE bs=1]", 300, 10);
  EXPECT_EQ(StepsOf(test.Finish()),
            "0 [0, 100) prefill cut\n1 [100, 200) prefill\n2 [200, 300) prefill\n"
            "3 [300, 310) decode\nengine");
}

TEST(EngineSteps, OneMarkOfTheProfilerGivesWay) {
  TestTrace test;
  test.Annotation("ProfilerStep#3", 0, 100);
  test.Annotation("step[DECODE bs=1]", 10, 10);
  test.Annotation("step[DECODE bs=1]", 30, 10);
  EXPECT_EQ(StepsOf(test.Finish()), "0 [10, 30) decode\n1 [30, 40) decode\nengine");
}

// Images are decoded on a thread that launches nothing.
TEST(EngineSteps, AreOfAThreadThatDrivesDevices) {
  TestTrace test;
  for (std::int64_t i = 0; i < 3; ++i) {
    test.Annotation("decode_batch", 10 * i, 9, 2);
    test.Call("cudaLaunchKernel", 10 * i, 1, i + 1);
    test.Kernel(10 * i + 1, 5, i + 1);
  }
  EXPECT_EQ(StepsOf(test.Finish()).find("engine"), std::string::npos);
}

TEST(NumberedSteps, ATotalIsNoNumber) {
  TestTrace test;
  for (std::int64_t i = 0; i < 3; ++i)
    test.Annotation("train step " + std::to_string(i) + "/3", 100 * i, 90);
  EXPECT_EQ(StepsOf(test.Finish()), "0 [0, 100)\n1 [100, 200)\n2 [200, 290)\nannotation");
}

TEST(NumberedSteps, ACounterStartsAgainWithAnEpoch) {
  TestTrace test;
  test.Annotation("epoch 0 batch 8", 0, 90);
  test.Annotation("epoch 0 batch 9", 100, 90);
  test.Annotation("epoch 1 batch 0", 200, 90);
  EXPECT_EQ(StepsOf(test.Finish()), "8 [0, 100)\n9 [100, 200)\n10 [200, 290)\nannotation");
}

TEST(NumberedSteps, TheKindThatCoversMostTimeCounts) {
  TestTrace test;
  for (std::int64_t i = 0; i < 3; ++i) {
    test.Annotation("epoch 0 step " + std::to_string(i), 100 * i, 90);
    test.Annotation("batch " + std::to_string(i), 100 * i + 10, 20);
  }
  EXPECT_EQ(StepsOf(test.Finish()), "0 [0, 100)\n1 [100, 200)\n2 [200, 290)\nannotation");
}

TEST(NumberedSteps, NumbersThatComeAgainMarkNothing) {
  TestTrace test;
  for (std::int64_t i = 0; i < 4; ++i)
    test.Annotation("batch " + std::to_string(i % 2), 100 * i, 90);
  EXPECT_EQ(StepsOf(test.Finish()), "");
}

// The first of six iterations loads libraries for 4 s.
TEST(HookSteps, LoaderAndOptimizerMarkThem) {
  TestTrace test;
  test.Op("aten::empty", 0, 10);
  test.Annotation(kLoader, 100, 60);
  test.Op("aten::mm", 160, 4000);
  test.Op(kOptimizer, 4200, 10);
  for (std::int64_t i = 0; i < 3; ++i) {
    test.Annotation(kLoader, 4220 + 100 * i, 60);
    test.Op(kOptimizer, 4290 + 100 * i, 10);
  }
  test.Annotation(kLoader, 4520, 5);  // finds no further batch
  EXPECT_EQ(StepsOf(test.Finish()),
            "0 [100, 4220) cut\n1 [4220, 4320)\n2 [4320, 4420)\n3 [4420, 4500)\noptimizer");
}

TEST(HookSteps, WithoutALoaderAStepEndsWithTheOptimizer) {
  TestTrace test;
  test.Op("aten::mm", 0, 50);
  for (std::int64_t i = 0; i < 3; ++i) {
    test.Op("aten::mm", 100 * i + 10, 50);
    test.Op(kOptimizer, 100 * i + 90, 10);
  }
  EXPECT_EQ(StepsOf(test.Finish()), "0 [0, 100) cut\n1 [100, 200)\n2 [200, 300)\noptimizer");
}

// An agent plays for 900, then learns from that in three updates.
TEST(HookSteps, SeveralUpdatesOfAnIterationAreOneStep) {
  const auto steps = [](int groups, int of_last) {
    TestTrace test;
    for (int group = 0; group < groups; ++group) {
      test.Op("play", 1000 * group, 900);
      for (int i = 0; i < (group + 1 == groups ? of_last : 3); ++i)
        test.Op(kOptimizer, 1000 * group + 910 + 30 * i, 10);
    }
    return StepsOf(test.Finish());
  };
  EXPECT_EQ(steps(3, 3), "0 [0, 980) cut\n1 [980, 1980)\n2 [1980, 2980)\noptimizer");
  EXPECT_EQ(steps(2, 3), "0 [0, 980) cut\n1 [980, 1980)\noptimizer");
  // The recording ends within an iteration: that is no step.
  EXPECT_EQ(steps(3, 1), "0 [0, 980) cut\n1 [980, 1980)\noptimizer");
}

// One long pause among seven updates is none of an iteration.
TEST(HookSteps, APauseMakesNoGroups) {
  TestTrace test;
  for (std::int64_t i = 0; i < 7; ++i) test.Op(kOptimizer, 100 * i + 90 + (i > 3 ? 1000 : 0), 10);
  EXPECT_EQ(StepsOf(test.Finish()),
            "0 [90, 100) cut\n1 [100, 200)\n2 [200, 300)\n3 [300, 400)\n4 [400, 1500)\n"
            "5 [1500, 1600)\n6 [1600, 1700)\noptimizer");
}

// Nor is one longer than all updates before it, in the middle of them, in which nothing is done.
TEST(HookSteps, AStallMakesNoGroups) {
  TestTrace test;
  for (std::int64_t i = 0; i < 6; ++i) {
    const std::int64_t at = 100 * i + (i > 2 ? 1000 : 0);
    test.Op("aten::mm", at + 10, 50);
    test.Op(kOptimizer, at + 90, 10);
  }
  EXPECT_EQ(StepsOf(test.Finish()),
            "0 [10, 100) cut\n1 [100, 200)\n2 [200, 300)\n3 [300, 1400)\n4 [1400, 1500)\n"
            "5 [1500, 1600)\noptimizer");
}

// Gradients accumulate over two batches.
TEST(HookSteps, TheFirstBatchBeginsTheStep) {
  TestTrace test;
  for (std::int64_t i = 0; i < 3; ++i) {
    test.Annotation(kLoader, 100 * i, 10);
    test.Annotation(kLoader, 100 * i + 50, 10);
    test.Op(kOptimizer, 100 * i + 90, 5);
  }
  EXPECT_EQ(StepsOf(test.Finish()), "0 [0, 100)\n1 [100, 200)\n2 [200, 295)\noptimizer");
}

// Generator and discriminator step for each batch.
TEST(HookSteps, SeveralOptimizersOfABatchAreOneStep) {
  TestTrace test;
  for (std::int64_t i = 0; i < 3; ++i) {
    test.Annotation(kLoader, 100 * i, 10);
    test.Op(kOptimizer, 100 * i + 40, 5);
    test.Op(kOptimizer, 100 * i + 90, 5);
  }
  EXPECT_EQ(StepsOf(test.Finish()), "0 [0, 100)\n1 [100, 200)\n2 [200, 295)\noptimizer");
}

// Autograd's thread launches more than the main one.
TEST(HookSteps, AreOfTheThreadThatHasThem) {
  TestTrace test;
  std::int64_t call = 0;
  for (std::int64_t i = 0; i < 3; ++i) {
    test.Annotation(kLoader, 100 * i, 10);
    test.Op(kOptimizer, 100 * i + 90, 5);
    for (const std::int64_t at : {30, 40, 50, 60}) {
      ++call;
      test.Call("cudaLaunchKernel", 100 * i + at, 1, call, at == 30 ? 1 : 2);
      test.Kernel(100 * i + at + 2, 5, call);
    }
  }
  EXPECT_EQ(StepsOf(test.Finish()), "0 [0, 100)\n1 [100, 200)\n2 [200, 295)\noptimizer");
}

TEST(HookSteps, ALoaderAloneMarksThem) {
  TestTrace test;
  for (std::int64_t i = 0; i < 3; ++i) {
    test.Annotation(kLoader, 100 * i, 10);
    test.Op("aten::mm", 100 * i + 20, 60);
  }
  EXPECT_EQ(StepsOf(test.Finish()), "0 [0, 100)\n1 [100, 200)\n2 [200, 280) cut\ndata loader");
}

TEST(PeriodSteps, AThreadThatLaunchesNothingSaysNothing) {
  TestTrace test;
  for (std::int64_t i = 0; i < 40; ++i) test.Op("poll", 10 * i, 2);
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::uint32_t stream = test.Track(Domain::kDevice, 7);
    test.Add(EventKind::kKernel, stream, "gemm", 100 * i, 20);
    test.Add(EventKind::kKernel, stream, "softmax", 100 * i + 30, 60);
  }
  EXPECT_EQ(StepsOf(test.Finish()),
            "0 [0, 100)\n1 [100, 200)\n2 [200, 300)\n3 [300, 390) cut\nperiod");
}

}  // namespace
}  // namespace rankscope
