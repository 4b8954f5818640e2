// unused-parameters: DDP searches for them between forward and backward.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Every rank's host does `search` behind two products and before their backward.
Body With(const std::function<void(Program&)>& search) {
  return [=](Program& of, int) {
    of.Products(2);
    search(of);
    for (int i = 0; i < 2; ++i)
      of.Op("autograd::engine::evaluate_function: MmBackward0", "gemm", 100);
  };
}
Told SearchesUnusedParameters(const std::function<void(Program&)>& search) {
  return TellOf(With(search));
}

void WalksInForward(Program& of) {
  of.Range("DistributedDataParallel.forward", [&] { of.Idles(1500); });
}
void Nothing(Program&) {}

TEST(UnusedParameters, ByTheRangeOfPyTorch) {
  const Told told = SearchesUnusedParameters([](Program& of) {
    of.Range("torch.distributed.ddp.reducer::search_unused_parameters", [&] { of.Idles(1500); });
  });
  EXPECT_EQ(told.first(), "unused-parameters");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_NEAR(told.gain, 100 * (1 - SearchesUnusedParameters(Nothing).mean_step / told.mean_step),
              1);
}

TEST(UnusedParameters, ByWhatNothingNamesBetweenForwardAndBackward) {
  EXPECT_EQ(SearchesUnusedParameters(WalksInForward).first(), "unused-parameters");
}

// Without stacks, the loss that the program computes on the host looks so, too.
TEST(UnusedParameters, WhatNobodyCouldNameIsHostWork) {
  EXPECT_EQ(SearchesUnusedParameters([](Program& of) { of.Idles(1500); }).first(), "host-work");
  EXPECT_EQ(SearchesUnusedParameters([](Program& of) {
              of.Range("decoder forward metrics", [&] { of.Idles(1500); });
            }).first(),
            "host-work");
}

TEST(UnusedParameters, ALineOfTheProgramIsItsOwnWork) {
  const Told told = SearchesUnusedParameters(
      [](Program& of) { of.Frame("train.py(9): metrics", [&] { of.Idles(1500); }); });
  EXPECT_EQ(told.first(), "host-work");
}

// What no frame names may be anybody's on a rank whose stacks were not recorded.
TEST(UnusedParameters, ByNoFrameOnlyWhereStacksWereRecorded) {
  const auto with_stacks = [](Program& of, int) {
    of.Frame("train.py(7): forward", [&] { of.Products(2); });
    of.Idles(1500);
    for (int i = 0; i < 2; ++i)
      of.Op("autograd::engine::evaluate_function: MmBackward0", "gemm", 100);
  };
  const Body without_stacks = With([](Program& of) { of.Idles(1500); });
  EXPECT_TRUE(TellOfRanks({with_stacks, with_stacks}).Has("unused-parameters"));
  EXPECT_FALSE(TellOfRanks({with_stacks, without_stacks}).Has("unused-parameters"));
}

TEST(UnusedParameters, NotOnOneRankAlone) {
  EXPECT_FALSE(TellOfRanks({With(WalksInForward), With(Nothing)}).Has("unused-parameters"));
}

}  // namespace
}  // namespace rankscope
