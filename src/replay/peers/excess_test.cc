// What nodes take beyond the usual, and why: by hand.
#include "replay/peers/excess.h"

#include <gtest/gtest.h>

#include <string>

#include "base/units_for_test.h"
#include "replay/job_graph/graph_for_test.h"

namespace rankscope {
namespace {

// A stretch of work in step 0 at a place, behind the one before it; in us.
struct Piece {
  Work work = Work::kCompute;
  std::int64_t place = 0;
  std::int64_t gap = 0;
  std::int64_t duration = 0;
  std::string_view shapes = "[[8,8]]";
};

// The excess of the nodes of rank 0 whose peers are the other ranks: "slower kernels 20, gap host
// 3; " for each, in us.
std::string ExcessOf(const std::vector<std::vector<Piece>>& ranks) {
  JobForTest job;
  std::vector<std::vector<Table>> tables;
  Peers peers;
  peers.of.emplace_back();
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    job.Add(rank, TraceForTest().Kernel(7, "a", 0, 9).Build(kBase));
    NodesForTest nodes;
    nodes.Step(0, kBase, kBase + 100'000 * kUs);
    std::int64_t t = kBase;
    for (const Piece& piece : ranks[rank]) {
      t += piece.gap * kUs;
      nodes.Kind(piece.work, "work", piece.shapes).Add(7, t, piece.duration * kUs, 0, piece.place);
      t += piece.duration * kUs;
    }
    // A step has device work, or does not count.
    nodes.Kind(Work::kCompute, "last").Add(8, kBase, kUs, 0, 99);
    tables.push_back(nodes.Tables());
    peers.group_of.push_back(0);
    peers.of.front().push_back(rank);
  }
  const auto graph = GraphOfTables(job, std::move(tables)).value();
  const Places places(*graph, peers);
  const Excess excess(*graph, peers, places);
  const Replay replay{Scenario(*graph)};
  std::string text;
  for (NodeId node = 0; node + 1 < graph->captures().front().ranges.front().last; ++node) {
    std::string of_node;
    const auto tell = [&](std::string_view what, LateCause cause, std::int64_t ns) {
      if (ns == 0) return;
      of_node +=
          fmt::format("{}{}{} {}", of_node.empty() ? "" : ", ", what, ToString(cause), ns / kUs);
    };
    excess.OfDuration(node, [&](LateCause cause, std::int64_t ns) { tell("", cause, ns); });
    excess.OfGap(node, BindingOf(*graph, replay, node),
                 [&](LateCause cause, std::int64_t ns) { tell("gap ", cause, ns); });
    text += (of_node.empty() ? "-" : of_node) + (excess.IsUnusual(node) ? " unusual; " : "; ");
  }
  return text;
}

TEST(Excess, IsBeyondTheMedianOfThePeers) {
  EXPECT_EQ(ExcessOf({{{.duration = 50}}, {{.duration = 30}}, {{.duration = 20}}}),
            "slower kernels 20; ");
  EXPECT_EQ(ExcessOf({{{.duration = 20}}, {{.duration = 30}}, {{.duration = 50}}}),
            "slower kernels -10; ");
}

TEST(Excess, OfTwoTheSlowOneDoesNotDecide) {
  EXPECT_EQ(ExcessOf({{{.duration = 50}}, {{.duration = 30}}}), "slower kernels 20; ");
  EXPECT_EQ(ExcessOf({{{.duration = 30}}, {{.duration = 50}}}), "-; ");
}

// Of 90, those of the same shapes take 70 in the middle and all take 40: 20 slower, 30 more.
TEST(Excess, OfOtherShapesIsMoreWork) {
  EXPECT_EQ(ExcessOf({{{.duration = 90, .shapes = "[[16,8]]"}},
                      {{.duration = 50, .shapes = "[[16,8]]"}},
                      {{.duration = 30}},
                      {{.duration = 30}}}),
            "slower kernels 20, more work 30; ");
  EXPECT_EQ(
      ExcessOf({{{.duration = 90, .shapes = "[[16,8]]"}}, {{.duration = 30}}, {{.duration = 30}}}),
      "more work 60; ");
}

TEST(Excess, WithoutShapesOfKernels) {
  EXPECT_EQ(ExcessOf({{{.duration = 90, .shapes = ""}},
                      {{.duration = 30, .shapes = ""}},
                      {{.duration = 30, .shapes = ""}}}),
            "kernels 60; ");
}

// A step with nothing at the place counts as 0: of 0, 0, 40 the middle.
TEST(Excess, OfWhatPeersDoNotHaveIsAllOfIt) {
  const std::vector<Piece> other = {{.duration = 30}};
  EXPECT_EQ(ExcessOf({{{.duration = 30}, {.place = 1, .duration = 40}}, other, other}),
            "-; more work 40 unusual; ");
  // Of two of four it is half: of 0, 0, 40, 40 the middle.
  const std::vector<Piece> same = {{.duration = 30}, {.place = 1, .duration = 40}};
  EXPECT_EQ(ExcessOf({same, same, other, other}), "-; more work 20 unusual; ");
  EXPECT_EQ(ExcessOf({same, same, same, other}), "-; -; ");
}

TEST(Excess, OfTheHostByWhatItDoes) {
  const auto of = [](Work work) {
    const auto rank = [&](std::int64_t us) {
      return std::vector<Piece>{{.work = work, .duration = us, .shapes = ""}};
    };
    return ExcessOf({rank(50), rank(30), rank(30)});
  };
  EXPECT_EQ(of(Work::kOp), "host 20; ");
  EXPECT_EQ(of(Work::kPython), "host 20; ");
  EXPECT_EQ(of(Work::kLaunchCall), "host 20; ");
  EXPECT_EQ(of(Work::kOtherCall), "host 20; ");
  EXPECT_EQ(of(Work::kSyncCall), "sync 20; ");
  EXPECT_EQ(of(Work::kAllocator), "allocator 20; ");
  EXPECT_EQ(of(Work::kDataLoading), "input 20; ");
  EXPECT_EQ(of(Work::kCompile), "compiling 20; ");
  EXPECT_EQ(of(Work::kCheckpoint), "checkpoint 20; ");
  EXPECT_EQ(of(Work::kGarbage), "gc 20; ");
  EXPECT_EQ(of(Work::kCopy), "copies 20; ");
  // How much of it is waiting for partners that were not recorded, nobody knows.
  EXPECT_EQ(of(Work::kCommunication), "unexplained 20; ");
}

// From 1 ms beyond the usual, and three times it.
TEST(Excess, OfAPause) {
  const auto rank = [](std::int64_t us) {
    return std::vector<Piece>{{.work = Work::kPython, .duration = us, .shapes = ""}};
  };
  EXPECT_EQ(ExcessOf({rank(1010), rank(10), rank(10)}), "pause 1000; ");
  EXPECT_EQ(ExcessOf({rank(1009), rank(10), rank(10)}), "host 999; ");
  EXPECT_EQ(ExcessOf({rank(3000), rank(1000), rank(1000)}), "pause 2000; ");
  EXPECT_EQ(ExcessOf({rank(2999), rank(1000), rank(1000)}), "host 1999; ");
}

// Between kernels of a stream nothing says why; on a host it is the host.
TEST(Excess, OfGaps) {
  const std::vector<Piece> usual = {{.duration = 30}, {.place = 1, .gap = 2, .duration = 30}};
  EXPECT_EQ(ExcessOf({{{.duration = 30}, {.place = 1, .gap = 9, .duration = 30}}, usual, usual}),
            "-; gap unexplained 7; ");
  const auto host = [](std::int64_t gap) {
    return std::vector<Piece>{{.work = Work::kOp, .duration = 30},
                              {.work = Work::kOp, .place = 1, .gap = gap, .duration = 30}};
  };
  EXPECT_EQ(ExcessOf({host(9), host(2), host(2)}), "-; gap host 7; ");
}

TEST(Excess, OfARankAloneInOneStepIsNotKnown) {
  EXPECT_EQ(ExcessOf({{{.duration = 30}, {.place = 1, .gap = 2, .duration = 40}}}),
            "unexplained 30; unexplained 40, gap unexplained 2; ");
}

}  // namespace
}  // namespace rankscope
