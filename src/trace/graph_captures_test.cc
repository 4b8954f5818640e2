#include "trace/graph_captures.h"

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

// (begin, end, nodes...) of each capture, by source.
std::vector<std::vector<std::uint32_t>> Found(TestTrace& test) {
  const RankTrace trace = test.Finish();
  std::vector<std::vector<std::uint32_t>> found;
  for (const GraphCapture& capture : FindGraphCaptures(trace)) {
    found.push_back({SourceOf(trace, capture.begin), SourceOf(trace, capture.end)});
    for (const Row node : capture.nodes) found.back().push_back(SourceOf(trace, node));
  }
  return found;
}

using Captures = std::vector<std::vector<std::uint32_t>>;

TEST(GraphCaptures, LaunchesWithoutWorkBetweenTheCalls) {
  TestTrace test;
  test.Call("cudaLaunchKernel", 0, 5, 1);          // 0: before, its records were dropped
  test.Call("cudaStreamBeginCapture", 10, 1, 2);   // 1
  test.Call("cudaLaunchKernel", 20, 1, 3);         // 2
  test.Call("cudaStreamIsCapturing", 21, 1, 4);    // 3
  test.Call("cudaMemcpyAsync", 30, 1, 5);          // 4
  test.Call("cudaMemsetAsync", 40, 1, 6);          // 5
  test.Call("cudaLaunchKernel", 45, 1, 7);         // 6: on another stream, has work
  test.Call("cudaStreamEndCapture", 50, 1, 8);     // 7
  test.Call("cudaLaunchKernel", 60, 1, 9);         // 8: behind
  test.Call("cudaStreamBeginCapture", 70, 1, 10);  // 9
  test.Call("hipModuleLaunchKernel", 71, 1, 11);   // 10
  test.Call("cudaStreamEndCapture", 72, 1, 12);    // 11
  test.Kernel(50, 10, 7);                          // 12
  EXPECT_EQ(Found(test), (Captures{{1, 7, 2, 4, 5}, {9, 11, 10}}));
}

TEST(GraphCaptures, ThreadsKeepTheirOwn) {
  TestTrace test;
  test.Call("cudaStreamBeginCapture", 0, 1, 1, 1);   // 0
  test.Call("cudaStreamBeginCapture", 10, 1, 2, 2);  // 1
  test.Call("cudaLaunchKernel", 20, 1, 3, 1);        // 2
  test.Call("cudaLaunchKernel", 21, 1, 4, 2);        // 3
  test.Call("cudaLaunchKernel", 22, 1, 5, 3);        // 4: a thread without its own: the last begun
  test.Call("cudaStreamEndCapture", 30, 1, 6, 2);    // 5
  test.Call("cudaLaunchKernel", 40, 1, 7, 3);        // 6: the one that is still open
  test.Call("cudaStreamEndCapture", 50, 1, 8, 1);    // 7
  test.Call("cudaLaunchKernel", 60, 1, 9, 3);        // 8: none
  EXPECT_EQ(Found(test), (Captures{{0, 7, 2, 6}, {1, 5, 3, 4}}));
}

TEST(GraphCaptures, WithoutAnEndOrABegin) {
  TestTrace test;
  test.Call("cudaStreamEndCapture", 0, 1, 1);
  test.Call("cudaStreamBeginCapture", 10, 1, 2);
  test.Call("cudaLaunchKernel", 20, 1, 3);
  EXPECT_EQ(Found(test), Captures{});
}

// Launches into a graph miss no device work; others that have none do.
TEST(GraphCaptures, AreNoDroppedRecords) {
  TestTrace test;
  test.Call("cudaStreamBeginCapture", 10, 1, 1);
  test.Call("cudaLaunchKernel", 20, 1, 2);
  test.Call("cudaLaunchKernel", 21, 1, 3);
  test.Call("cudaStreamEndCapture", 30, 1, 4);
  EXPECT_TRUE(test.Finish().meta.quality.empty());
  test.Call("cudaLaunchKernel", 40, 1, 5);
  const RankTrace trace = test.Finish();
  ASSERT_EQ(trace.meta.quality.size(), 1U);
  EXPECT_EQ(trace.meta.quality[0].code, QualityCode::kUnmatchedLaunch);
  EXPECT_EQ(trace.meta.quality[0].count, 1);
}

}  // namespace
}  // namespace rankscope
