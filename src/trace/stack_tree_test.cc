#include "trace/stack_tree.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

bool Always(Row) { return true; }

std::string Lines(const StackTree& tree) {
  std::string lines;
  for (std::uint32_t node = 0; node < tree.nodes().size(); ++node) {
    const StackTree::Node& at = tree.nodes()[node];
    lines += fmt::format("{} {} {} {} {}\n", tree.TextOf(node), at.calls, at.host_ns, at.device_ns,
                         at.works);
  }
  return lines;
}

// main |0---100| calls f twice (30 and 20 ns); the second launches two kernels, main one, and one
// has no call.
TestTrace Program() {
  TestTrace test;
  test.Op("main", 0, 100);
  test.Op("f", 10, 30);
  test.Op("f", 50, 20);
  test.Call("launch", 55, 2, 1);
  test.Call("launch", 60, 2, 2);
  test.Call("launch", 90, 2, 3);
  test.Kernel(60, 7, 1);
  test.Kernel(70, 5, 2);
  test.Kernel(95, 3, 3);
  test.Kernel(200, 2, kNoCorrelation);
  return test;
}

TEST(StackTree, EqualStacksAreOneNode) {
  const RankTrace trace = Program().Finish();
  const StackTree tree(
      trace, [&](Row row) { return trace.kind[row] == EventKind::kCpuOp; }, StackWork::kAtCall,
      Always);
  EXPECT_EQ(Lines(tree),
            "main 1 50 3 1\n"
            "main;f 2 50 12 2\n"
            "(no stack) 0 0 2 1\n");
}

TEST(StackTree, KernelsAsFrames) {
  const RankTrace trace = Program().Finish();
  const StackTree tree(trace, Always, StackWork::kAsOwnFrame, Always);
  EXPECT_EQ(Lines(tree),
            "main 1 48 0 0\n"
            "main;f 2 46 0 0\n"
            "main;f;launch 2 4 0 0\n"
            "main;launch 1 2 0 0\n"
            "main;f;launch;kernel 0 0 12 2\n"
            "main;launch;kernel 0 0 3 1\n"
            "(no stack) 0 0 0 0\n"
            "(no stack);kernel 0 0 2 1\n");
}

TEST(StackTree, KernelsBesideTheirCalls) {
  TestTrace test = Program();
  test.Call("launch", 300, 2, 4);
  test.Kernel(310, 4, 4);
  const RankTrace trace = test.Finish();
  const StackTree tree(trace, Always, StackWork::kBesideCall, Always);
  EXPECT_EQ(Lines(tree),
            "main 1 48 0 0\n"
            "main;f 2 46 0 0\n"
            "main;f;launch 2 4 0 0\n"
            "main;launch 1 2 0 0\n"
            "launch 1 2 0 0\n"
            "main;f;kernel 0 0 12 2\n"
            "main;kernel 0 0 3 1\n"
            "(no stack) 0 0 0 0\n"
            "(no stack);kernel 0 0 2 1\n"
            "launch;kernel 0 0 4 1\n");
  EXPECT_EQ(trace.kind[tree.nodes()[2].first], EventKind::kRuntime);
  EXPECT_EQ(trace.kind[tree.nodes()[5].first], EventKind::kKernel);
  EXPECT_EQ(tree.nodes()[7].first, kNoRow);
}

TEST(StackTree, WhatIsNotWantedCountsNothing) {
  const RankTrace trace = Program().Finish();
  const StackTree tree(
      trace, [&](Row row) { return trace.kind[row] == EventKind::kCpuOp; }, StackWork::kAtCall,
      [&](Row row) { return trace.ts_ns[row] >= 40 && trace.ts_ns[row] < 65; });
  EXPECT_EQ(Lines(tree), "main 0 0 0 0\nmain;f 1 20 7 1\n");
}

TEST(StackTree, NamesAreWithoutAddressesNumbersOfStepsAndSeparators) {
  EXPECT_EQ(StackFrameName("<built-in method keys of dict object at 0x7f19513c4440>"),
            "<built-in method keys of dict object>");
  EXPECT_EQ(StackFrameName("x;y\nz"), "x:y z");
  EXPECT_EQ(StackFrameName(" at 0x12"), "(no name)");
  EXPECT_EQ(StackFrameName("ProfilerStep#12"), "ProfilerStep");
  EXPECT_EQ(StackFrameName("ProfilerStepper"), "ProfilerStepper");
  // Cut between characters: 299 + a letter of two bytes.
  EXPECT_EQ(StackFrameName(std::string(299, 'x') + "\xC3\xA9").size(), 299U);
  EXPECT_EQ(StackFrameName(std::string(70'000, 'x')), std::string(300, 'x'));
}

TEST(StackTree, AHundredThousandLevels) {
  TestTrace test;
  constexpr std::int64_t kDepth = 100'000;
  for (std::int64_t i = 0; i < kDepth; ++i) test.Op("f", i, 2 * kDepth - 2 * i);
  const StackTree tree(test.Finish(), Always, StackWork::kAtCall, Always);
  ASSERT_EQ(tree.nodes().size(), 256U);
  EXPECT_EQ(tree.nodes().back().calls, kDepth - 255);
  EXPECT_EQ(tree.nodes().back().host_ns, 2 * (kDepth - 255));
  EXPECT_EQ(tree.PathOf(255).size(), 256U);
}

}  // namespace
}  // namespace rankscope
