#include "trace/call_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "base/interval.h"
#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

std::map<std::string, std::int64_t> SelfTimes(const RankTrace& trace) {
  std::map<std::string, std::int64_t> sums;
  const FrameTree frames(trace, [](Row) { return true; });
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
    EXPECT_GE(frames.self_ns(frame), 0);
    sums[std::string(trace.name_of(frames.row(frame)))] += frames.self_ns(frame);
  }
  return sums;
}

using Times = std::map<std::string, std::int64_t>;

TEST(CallTree, SelfTimeIsWhatNoInnerRowTakes) {
  TestTrace test;
  test.Op("root", 0, 100);
  test.Op("a", 10, 30);
  test.Op("aa", 10, 5);
  test.Op("b", 50, 50);
  test.Op("alone", 200, 7);
  test.Op("elsewhere", 20, 9, 2);
  EXPECT_EQ(SelfTimes(test.Finish()),
            (Times{{"root", 20}, {"a", 25}, {"aa", 5}, {"b", 50}, {"alone", 7}, {"elsewhere", 9}}));
}

// outer |0-------10|, late |8--------30|, inside |20-25|: late keeps its 22 although it began in
// outer, and what begins in its overhang is inside it.
TEST(CallTree, ARowThatEndsAfterItsParentKeepsItsTime) {
  TestTrace test;
  test.Op("outer", 0, 10);
  test.Op("late", 8, 22);
  test.Op("inside", 20, 5);
  EXPECT_EQ(SelfTimes(test.Finish()), (Times{{"outer", 8}, {"late", 17}, {"inside", 5}}));
}

// Inner ends first, then the time is the outer's again, also when a middle one has ended meanwhile.
TEST(CallTree, TimeFallsBackToTheInnermostThatIsStillOpen) {
  TestTrace test;
  test.Op("outer", 0, 100);
  test.Op("middle", 10, 20);  // to 30
  test.Op("inner", 20, 30);   // to 50
  EXPECT_EQ(SelfTimes(test.Finish()), (Times{{"outer", 60}, {"middle", 10}, {"inner", 30}}));
}

TEST(CallTree, RowsWithoutExtentTakeNothing) {
  TestTrace test;
  test.Op("op", 0, 10);
  test.Op("zero", 5, 0);
  test.Op("unknown", 6, kNoDuration);
  EXPECT_EQ(SelfTimes(test.Finish()), (Times{{"op", 10}, {"zero", 0}}));
}

TEST(CallTree, SelfTimesSumToTheUnionOfARandomThread) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    TestTrace test;
    std::vector<Interval> extents;
    for (int i = 0; i < 40; ++i) {
      const std::int64_t begin = random() % 200;
      const std::int64_t length = static_cast<std::int64_t>(random() % 60) - 1;
      test.Op("op" + std::to_string(i), begin, length);
      extents.push_back({begin, begin + std::max<std::int64_t>(length, 0)});
    }
    std::int64_t sum = 0;
    for (const auto& [name, ns] : SelfTimes(test.Finish())) {
      const auto& extent = extents[std::stoul(name.substr(2))];
      EXPECT_LE(ns, extent.end - extent.begin);
      sum += ns;
    }
    EXPECT_EQ(sum, Total(Normalise(extents)));
  }
}

// What lies in the overhang of an annotation is not in the op in which that began.
TEST(CallTree, AFrameEndsWithItsOwnExtent) {
  TestTrace test;
  test.Op("op", 0, 10);
  test.Annotation("late", 8, 30);
  test.Call("call", 20, 5, 1);
  const RankTrace trace = test.Finish();
  const FrameTree frames(trace, [&](Row row) { return trace.kind[row] == EventKind::kCpuOp; });
  EXPECT_EQ(frames.self_ns(0), 10);
  EXPECT_EQ(frames.at(RowOf(trace, 1)), 0U);
  EXPECT_EQ(frames.at(RowOf(trace, 2)), FrameTree::kNone);
}

bool IsOp(const RankTrace& trace, Row row) { return trace.kind[row] == EventKind::kCpuOp; }

TEST(CallTree, FramesSkipOtherRows) {
  TestTrace test;
  test.Op("aten::linear", 0, 100);
  test.Annotation("mark", 10, 80);
  test.Op("aten::addmm", 20, 50);
  test.Call("cudaLaunchKernel", 30, 5, 1);
  test.Kernel(40, 10, 1);
  const RankTrace trace = test.Finish();
  const FrameTree frames(trace, [&](Row row) { return IsOp(trace, row); });
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(trace.name_of(frames.row(1)), "aten::addmm");
  EXPECT_EQ(frames.around(0), FrameTree::kNone);
  EXPECT_EQ(frames.around(1), 0U);
  std::map<std::string, std::uint32_t> at;
  for (Row row = 0; row < trace.row_count(); ++row)
    at[std::string(trace.name_of(row))] = frames.at(row);
  EXPECT_EQ(at, (std::map<std::string, std::uint32_t>{{"aten::linear", 0},
                                                      {"mark", 0},
                                                      {"aten::addmm", 1},
                                                      {"cudaLaunchKernel", 1},
                                                      {"kernel", FrameTree::kNone}}));
}

TEST(CallTree, AFrameInsideItsOwnGroupIsNotOutermost) {
  TestTrace test;
  test.Op("a", 0, 100);
  test.Op("b", 10, 50);
  test.Op("a", 20, 10);
  test.Op("b", 70, 10);
  test.Op("a", 200, 10);
  const RankTrace trace = test.Finish();
  const FrameTree frames(trace, [&](Row row) { return IsOp(trace, row); });
  std::vector<std::uint32_t> groups;
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame)
    groups.push_back(trace.name_of(frames.row(frame)) == "a" ? 0 : 1);
  EXPECT_EQ(OutermostOfGroup(frames, groups, 2),
            (std::vector<bool>{true, true, false, true, true}));
}

TEST(CallTree, AMillionLevels) {
  TestTrace test;
  constexpr std::int64_t kDepth = 1'000'000;
  for (std::int64_t i = 0; i < kDepth; ++i) test.Op("deep", i, 2 * kDepth - 2 * i);
  const RankTrace trace = test.Finish();
  const FrameTree frames(trace, [](Row) { return true; });
  const auto outermost = OutermostOfGroup(frames, std::vector<std::uint32_t>(kDepth, 0), 1);
  EXPECT_EQ(std::count(outermost.begin(), outermost.end(), true), 1);
  EXPECT_EQ(frames.self_ns(kDepth - 1), 2);
  EXPECT_EQ(SelfTimes(trace), (Times{{"deep", 2 * kDepth}}));
}

}  // namespace
}  // namespace rankscope
