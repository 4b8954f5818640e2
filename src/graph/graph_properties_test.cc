// What must hold for the graph of any trace, on random ones: rows that overlap and contradict each
// other, launches from every thread, waits for anything.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <tuple>
#include <vector>

#include "base/seeds.h"
#include "graph/build_graph.h"
#include "graph/critical_path.h"
#include "graph/path_parts.h"
#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

constexpr std::array kCalls = {
    "cudaLaunchKernel",      "cudaLaunchKernel",    "cudaGraphLaunch",     "cudaDeviceSynchronize",
    "cudaStreamSynchronize", "cudaMemcpyAsync",     "cudaMemcpy",          "cudaFree",
    "cudaEventRecord",       "cudaStreamWaitEvent", "cudaEventSynchronize"};

RankTrace RandomTrace(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
  };
  const std::int64_t unit = below(2) == 0 ? 1 : 5'000;  // within or beyond the tolerances
  const int span = 40 + static_cast<int>(below(400));
  TestTrace make;
  const std::int64_t rows = below(80);
  const int ids = 1 + static_cast<int>(below(40));
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t ts = below(span) * unit;
    const std::int64_t dur = below(4) == 0 ? 0 : below(30) * unit;
    const std::int64_t thread = 1 + below(3);
    switch (below(6)) {
      case 0:
        make.OpWithSequence("aten::op", ts, dur, thread, below(5),
                            static_cast<std::int32_t>(below(2)));
        break;
      case 1:
      case 2: {
        const auto name = kCalls[static_cast<std::size_t>(below(kCalls.size()))];
        make.Call(name, ts, dur, below(ids), thread);
        break;
      }
      case 3: {
        make.Wait(ts, dur, below(ids), below(ids));
        make.batch.syncs.back().wait_on_stream = static_cast<std::int32_t>(7 + below(3));
        break;
      }
      default: {
        RawRow& row = make.Kernel(ts, dur, below(ids), 7 + below(3));
        if (below(4) == 0) {
          row.kind = EventKind::kMemcpy;
          row.name = make.scope.strings.Intern("Memcpy DtoH (Device -> Pageable)");
        }
      }
    }
  }
  if (below(3) == 0) make.Annotation("ProfilerStep#1", 0, span * unit);
  return make.Finish();
}

using Part = std::tuple<std::int64_t, std::int64_t, Row, PathCause>;

std::vector<Part> PartsOf(const RankTrace& trace, const DependencyGraph& graph) {
  std::vector<Part> parts;
  for (const PathPart& part : PathParts(trace, graph, CriticalPath(graph)))
    parts.emplace_back(part.begin_ns, part.end_ns, part.row, part.cause);
  return parts;
}

// Of each row of device work.
std::vector<std::int64_t> SlackByRow(const RankTrace& trace, const DependencyGraph& graph) {
  std::vector<std::int64_t> result(trace.row_count(), -1);
  const std::vector<std::int64_t> slack = Slack(graph);
  for (SegmentId i = 0; i < graph.segments.size(); ++i) {
    for (std::uint32_t k = 0; k < graph.segments[i].row_count; ++k)
      result[graph.segments[i].first_row + k] = slack[i];
  }
  return result;
}

// Tests that share the seeds: test i takes i, i + kParts, i + 2 kParts, ...
constexpr std::uint32_t kParts = 10;
class AnyTrace : public testing::TestWithParam<std::uint32_t> {};

TEST_P(AnyTrace, HasASoundGraph) {
  for (std::uint32_t seed = GetParam(); seed < Seeds(500); seed += kParts) {
    SCOPED_TRACE(seed);
    const RankTrace trace = RandomTrace(seed);
    const auto is_collective = [&](Row row) { return trace.source[row] % 5 == 0; };
    const DependencyGraph graph = BuildGraph(trace, is_collective);
    const std::vector<Segment>& segments = graph.segments;

    // Edges lead forward, and no lag is longer than the time between its ends.
    for (SegmentId i = 0; i < segments.size(); ++i) {
      ASSERT_LE(segments[i].begin_ns, segments[i].end_ns);
      ASSERT_LE(segments[i == 0 ? 0 : i - 1].begin_ns, segments[i].begin_ns);
      ASSERT_TRUE(segments[i].previous == kNoSegment || segments[i].previous < i);
      for (const Dependency& dependency : graph.DependenciesOf(i)) {
        ASSERT_EQ(dependency.to, i);
        ASSERT_LT(dependency.from, i);
        ASSERT_LE(segments[dependency.from].end_ns + dependency.lag_ns, segments[i].begin_ns);
        ASSERT_GE(dependency.lag_ns, -kClockToleranceNs);
      }
    }
    // All device work is in one segment.
    std::vector<int> times(trace.row_count(), 0);
    for (const Segment& segment : segments) {
      for (std::uint32_t k = 0; k < segment.row_count; ++k) ++times[segment.first_row + k];
    }
    for (Row row = 0; row < trace.row_count(); ++row)
      ASSERT_EQ(times[row], IsDeviceWork(trace.kind[row]) ? 1 : 0);

    // The path covers the recording once, in order; so do its parts.
    const std::vector<PathPiece> path = CriticalPath(graph);
    std::int64_t until = graph.begin_ns;
    for (const PathPiece& piece : path) {
      ASSERT_EQ(piece.begin_ns, until);
      ASSERT_LT(piece.begin_ns, piece.end_ns);
      until = piece.end_ns;
    }
    ASSERT_EQ(until, graph.end_ns);
    until = graph.begin_ns;
    for (const PathPart& part : PathParts(trace, graph, path)) {
      ASSERT_EQ(part.begin_ns, until);
      ASSERT_LT(part.begin_ns, part.end_ns);
      until = part.end_ns;
      ASSERT_TRUE(part.cause != PathCause::kDevice || IsDeviceWork(trace.kind[part.row]));
    }
    ASSERT_EQ(until, graph.end_ns);

    // Nothing on the path could end later; nothing at all could end earlier than it did.
    const std::vector<std::int64_t> slack = Slack(graph);
    for (const std::int64_t value : slack) ASSERT_GE(value, 0);
    for (const PathPiece& piece : path) ASSERT_EQ(slack[piece.segment], 0);

    // Contraction changes no path and no slack.
    const DependencyGraph whole = BuildGraph(trace, is_collective, Contraction::kNone);
    ASSERT_EQ(PartsOf(trace, graph), PartsOf(trace, whole));
    ASSERT_EQ(SlackByRow(trace, graph), SlackByRow(trace, whole));
    ASSERT_EQ(graph.contradicted, whole.contradicted);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, AnyTrace, testing::Range(0U, kParts));

}  // namespace
}  // namespace rankscope
