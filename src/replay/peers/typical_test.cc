// What work usually takes, by hand.
#include "replay/peers/typical.h"

#include <gtest/gtest.h>

#include <string>

#include "replay/job_graph/graph_for_test.h"

namespace rankscope {
namespace {

// What a rank's work at one place takes, by step; each 100 behind the last, and one at a place of
// its own.
NodesForTest RankOf(const std::vector<std::int64_t>& durations, std::int64_t own_place,
                    std::string_view shapes = "[[8,8]]") {
  NodesForTest nodes;
  for (std::size_t step = 0; step < durations.size(); ++step)
    nodes.Step(static_cast<std::int64_t>(step), kBase + 1000 * static_cast<std::int64_t>(step),
               kBase + 1000 * static_cast<std::int64_t>(step + 1));
  nodes.Kind(Work::kCompute, "gemm", shapes);
  for (std::size_t step = 0; step < durations.size(); ++step)
    nodes.Add(7, kBase + 1000 * static_cast<std::int64_t>(step), durations[step],
              static_cast<std::int64_t>(step), 5);
  nodes.Add(8, kBase, 33, 0, own_place);
  return nodes;
}

// Typical durations, a rank behind the other.
std::string Durations(const JobGraph& graph, const Peers& peers, Alike alike = Alike::kPlace) {
  const Places places(graph, peers);
  const Typical typical(graph, peers, places, alike);
  const Typical of_places(graph, peers, places, Alike::kPlace);
  const Typical from_places(graph, peers, places, alike, &of_places);
  std::string text;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    text += fmt::format("{} ", typical.DurationOf(node));
    EXPECT_EQ(from_places.DurationOf(node), typical.DurationOf(node));
    EXPECT_EQ(from_places.GapOf(node), typical.GapOf(node));
  }
  return text;
}

Peers AllPeers(std::size_t ranks) {
  Peers peers;
  peers.group_of.assign(ranks, 0);
  peers.of.emplace_back();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) peers.of.front().push_back(rank);
  return peers;
}

// The same over the other steps of each rank.
std::string OfOtherSteps(const JobGraph& graph, int threads = 1) {
  std::vector<std::int64_t> duration_ns(graph.nodes().size(), Typical::kUnknown);
  ForEachOfOtherSteps(
      graph, Places(graph, AllPeers(graph.captures().size())),
      [&](NodeId node, std::int64_t duration, std::int64_t) { duration_ns[node] = duration; },
      threads);
  std::string text;
  for (const std::int64_t ns : duration_ns) text += fmt::format("{} ", ns);
  return text;
}

TEST(Typical, IsTheMedianOfThePeers) {
  const auto graph = GraphOfRanks({RankOf({10}, 1), RankOf({20}, 2), RankOf({90}, 3)});
  EXPECT_EQ(Durations(*graph, AllPeers(3)), "20 -1 20 -1 20 -1 ");
}

// Over all steps: the middle of 10, 12, 20, 22, 90, 92.
TEST(Typical, IsOverAllSteps) {
  const auto graph = GraphOfRanks({RankOf({10, 12}, 1), RankOf({20, 22}, 2), RankOf({90, 92}, 3)});
  EXPECT_EQ(Durations(*graph, AllPeers(3)), "21 21 -1 21 21 -1 21 21 -1 ");
}

TEST(Typical, OfTwoTheSlowOneDoesNotDecide) {
  const auto graph = GraphOfRanks({RankOf({10, 12}, 1), RankOf({90, 95}, 2)});
  // Of 10, 12, 90, 95 the lower quartile.
  EXPECT_EQ(Durations(*graph, AllPeers(2)), "10 10 -1 10 10 -1 ");
}

TEST(Typical, RanksOfOtherGroupsDoNotCount) {
  const auto graph = GraphOfRanks({RankOf({10, 14, 30}, 1), RankOf({20, 24, 60}, 2)});
  Peers apart;
  apart.group_of = {0, 1};
  apart.of = {{0}, {1}};
  EXPECT_EQ(Durations(*graph, apart), "14 14 14 -1 24 24 24 -1 ");
}

TEST(Typical, OtherShapesAreOtherWork) {
  const auto graph = GraphOfRanks({RankOf({10}, 1), RankOf({20}, 2), RankOf({90}, 3, "[[16,16]]")});
  EXPECT_EQ(Durations(*graph, AllPeers(3)), "20 -1 20 -1 20 -1 ");
  // Two are left, but the group has three: the middle of 10 and 20.
  EXPECT_EQ(Durations(*graph, AllPeers(3), Alike::kPlaceAndShape), "15 -1 15 -1 -1 -1 ");
}

// Of two the middle: of 20 and 90, 10 and 90, 10 and 20; 60 and 70, 50 and 70, 50 and 60.
TEST(Typical, OfTheOtherSteps) {
  const auto graph = GraphOfRanks({RankOf({10, 20, 90}, 1), RankOf({50, 60, 70}, 2)});
  EXPECT_EQ(OfOtherSteps(*graph), "55 50 15 -1 65 60 55 -1 ");
}

TEST(Typical, OfTheOtherStepsByAnyNumberOfThreads) {
  std::vector<NodesForTest> ranks;
  for (std::int64_t rank = 0; rank < 11; ++rank)
    ranks.push_back(RankOf({10 + rank, 20, 90 - rank}, static_cast<int>(rank + 1)));
  const auto graph = GraphOfRanks(ranks);
  EXPECT_EQ(OfOtherSteps(*graph, 3), OfOtherSteps(*graph));
}

// Of three and of one; equal ones are told apart.
TEST(Typical, OfOddNumbersOfOtherSteps) {
  EXPECT_EQ(OfOtherSteps(*GraphOfRanks({RankOf({10, 40, 20, 30}, 1)})), "30 20 30 20 -1 ");
  EXPECT_EQ(OfOtherSteps(*GraphOfRanks({RankOf({10, 40}, 1)})), "40 10 -1 ");
  EXPECT_EQ(OfOtherSteps(*GraphOfRanks({RankOf({10, 10, 40}, 1)})), "25 25 10 -1 ");
}

TEST(Typical, StepsThatAreNotWholeDoNotCount) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 1000, false)
      .Step(1, kBase + 1000, kBase + 2000)
      .Step(2, kBase + 2000, kBase + 3000)
      .Kind(Work::kCompute);
  nodes.Add(7, kBase, 500, 0, 5);
  nodes.Add(7, kBase + 1000, 20, 1, 5);
  nodes.Add(7, kBase + 2000, 20, 2, 5);
  const auto graph = GraphOfRanks({nodes});
  EXPECT_EQ(Durations(*graph, AllPeers(1)), "-1 20 20 ");
}

}  // namespace
}  // namespace rankscope
