#include "trace/step_names.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(ProfilerStepNumber, ReadsTheNumber) {
  EXPECT_EQ(ProfilerStepNumber("ProfilerStep#0"), 0);
  EXPECT_EQ(ProfilerStepNumber("ProfilerStep#552"), 552);
  EXPECT_EQ(ProfilerStepNumber("ProfilerStep # 12"), 12);
  EXPECT_EQ(ProfilerStepNumber("ProfilerStep#123456789012"), 123456789012);
}

TEST(ProfilerStepNumber, AnyOtherNameIsNone) {
  for (const char* name :
       {"", "ProfilerStep", "ProfilerStep#", "ProfilerStep*", "ProfilerStep# ", "profilerstep#1",
        "MyProfilerStep#1", "ProfilerStep#x", "ProfilerStep#1x", "ProfilerStep#1.5",
        "ProfilerStep#99999999999999999999", "ProfilerStep1"}) {
    EXPECT_EQ(ProfilerStepNumber(name), std::nullopt) << name;
  }
}

StepPhase PhaseOf(std::string_view name) {
  const auto step = EngineStepOf(name);
  EXPECT_TRUE(step) << name;
  return step ? step->phase : StepPhase::kNone;
}

TEST(EngineStep, VllmCountsRequestsOfBothKinds) {
  EXPECT_EQ(PhaseOf("execute_context_1(1024)_generation_0(0)"), StepPhase::kPrefill);
  EXPECT_EQ(PhaseOf("execute_context_0(0)_generation_31(31)"), StepPhase::kDecode);
  EXPECT_EQ(PhaseOf("execute_context_1(1024)_generation_31(31)"), StepPhase::kMixed);
  EXPECT_EQ(PhaseOf("execute_context_0(0)_generation_0(0)"), StepPhase::kIdle);
  EXPECT_EQ(PhaseOf("execute_8192_context_9(sq8155sk8430)_generation_37(sq37sk34489)"),
            StepPhase::kMixed);
}

TEST(EngineStep, SglangNamesItsForwardMode) {
  EXPECT_EQ(PhaseOf("step[DECODE bs=32]"), StepPhase::kDecode);
  EXPECT_EQ(PhaseOf("step[decode bs=32]"), StepPhase::kDecode);
  EXPECT_EQ(PhaseOf("step[EXTEND bs=1 toks=107]"), StepPhase::kPrefill);
  EXPECT_EQ(PhaseOf("step[MIXED bs=66 c=2 g=64]"), StepPhase::kMixed);
  EXPECT_EQ(PhaseOf("step[TARGET_VERIFY bs=4]"), StepPhase::kVerify);
  EXPECT_EQ(PhaseOf("step[idle]"), StepPhase::kIdle);
  EXPECT_EQ(PhaseOf("step[SPLIT_PREFILL bs=4]"), StepPhase::kOther);
}

TEST(EngineStep, TensorRtNumbersIts) {
  EXPECT_EQ(EngineStepOf("[Executor] _forward_step 12: 3 ctx reqs, 512 ctx tokens, 5 gen reqs"),
            (StepName{.number = 12, .phase = StepPhase::kMixed}));
  EXPECT_EQ(EngineStepOf("[Executor] _forward_step 7: 0 ctx reqs, 32 gen reqs"),
            (StepName{.number = 7, .phase = StepPhase::kDecode}));
}

TEST(EngineStep, OthersNameThePhase) {
  EXPECT_EQ(PhaseOf("decode[bs=128 tok=128 d=128]"), StepPhase::kDecode);
  EXPECT_EQ(PhaseOf("d[req128, tok128, dec128, tok128, pre0, tok0, ext0, tok0]"),
            StepPhase::kDecode);
  EXPECT_EQ(PhaseOf("d[req9, tok520, dec8, tok8, pre1, tok512, ext0, tok0]"), StepPhase::kMixed);
  EXPECT_EQ(PhaseOf("prefill_batch"), StepPhase::kPrefill);
}

TEST(EngineStep, AnyOtherNameIsNone) {
  for (const char* name : {"",
                           "execute_",
                           "execute_context_",
                           "execute_context_1",
                           "execute_context_x(1)_generation_1",
                           "execute_context_1(1)_generation_x",
                           "execute_5",
                           "execute_model",
                           "step[",
                           "step[]",
                           "step[3]",
                           "step",
                           "[Executor] _forward_step",
                           "[Executor] _forward_step 1",
                           "[Executor] _forward_step 1: 2 ctx reqs",
                           "decode",
                           "prefill",
                           "d[]",
                           "d[1]",
                           "data[0]",
                           "_batch",
                           "train_batch",
                           "decode[",
                           "capture_32_DECODE",
                           "aten::index"}) {
    EXPECT_EQ(EngineStepOf(name), std::nullopt) << name;
  }
}

std::optional<std::int64_t> NumberOf(std::string_view name) {
  const auto step = NumberedStepOf(name);
  return step ? step->number : std::nullopt;
}

TEST(NumberedStep, WordsOfALoop) {
  EXPECT_EQ(NumberOf("step 12"), 12);
  EXPECT_EQ(NumberOf("Step#0"), 0);
  EXPECT_EQ(NumberOf("## train_step 5 ##"), 5);
  EXPECT_EQ(NumberOf("iteration_3"), 3);
  EXPECT_EQ(NumberedStepOf("epoch 1, batch 7"), (StepName{.number = 7, .outer = 1}));
  EXPECT_EQ(NumberOf("global step: 100"), 100);
  EXPECT_EQ(NumberOf("train step 12/100"), 12);
}

TEST(NumberedStep, AnyOtherNameIsNone) {
  for (const char* name : {"", "12", "step", "epoch 1", "layer 3", "step 3 forward",
                           "micro batch 2", "step 1.5", "step 99999999999999999999", "forward",
                           "Optimizer.step#SGD.step", "batch_norm 3", "ProfilerStep#3"}) {
    EXPECT_EQ(NumberedStepOf(name), std::nullopt) << name;
  }
}

TEST(MarksStep, WhicheverKind) {
  for (const char* name : {"ProfilerStep#3", "step[idle]", "step 3"}) EXPECT_TRUE(MarksStep(name));
  EXPECT_FALSE(MarksStep("forward"));
}

TEST(Hooks, NamesOfPyTorch) {
  EXPECT_TRUE(IsOptimizerStep("Optimizer.step#AdamW.step"));
  EXPECT_FALSE(IsOptimizerStep("Optimizer.zero_grad#AdamW.zero_grad"));
  EXPECT_TRUE(IsLoaderNext("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"));
  EXPECT_FALSE(IsLoaderNext("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__init__"));
}

}  // namespace
}  // namespace rankscope
