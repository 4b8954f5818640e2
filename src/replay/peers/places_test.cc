// Nodes put together by place and kind, by hand.
#include "replay/peers/places.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "replay/job_graph/graph_for_test.h"

namespace rankscope {
namespace {

// A rank's work in step 0: the kernels' shapes, each at the place of its number in the list, and
// one kernel outside of all steps.
NodesForTest RankOf(const std::vector<std::string>& shapes) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 1000).Kind(Work::kCompute);
  for (std::size_t i = 0; i < shapes.size(); ++i)
    nodes.Kind(Work::kCompute, "gemm", shapes[i])
        .Add(7, kBase + 10 * static_cast<std::int64_t>(i), 5, 0, static_cast<std::int64_t>(i + 1));
  nodes.Add(7, kBase + 2000, 5, std::nullopt, 1);
  return nodes;
}

// Nodes of each work, works of a place between brackets; sorted by their first nodes.
std::string TextPlaces(const Places& places) {
  std::vector<std::string> all;
  for (std::uint32_t place = 0; place < places.place_count(); ++place) {
    std::string text = "[";
    std::size_t nodes = 0;
    for (std::uint32_t work = places.FirstWork(place); work < places.FirstWork(place + 1); ++work) {
      text += text.size() > 1 ? "|" : "";
      for (const NodeId node : places.NodesOfWork(work)) {
        text += fmt::format(" {}", node);
        EXPECT_EQ(places.WorkOf(node), work);
        EXPECT_EQ(places.PlaceOf(node), place);
        ++nodes;
      }
    }
    EXPECT_EQ(places.NodesOf(place).size(), nodes);
    all.push_back(text + "]");
  }
  std::sort(all.begin(), all.end());
  return fmt::format("{}", fmt::join(all, " "));
}

Peers Groups(const std::vector<std::uint32_t>& group_of) {
  Peers peers;
  peers.group_of = group_of;
  for (std::uint32_t rank = 0; rank < group_of.size(); ++rank) {
    peers.of.resize(std::max<std::size_t>(peers.of.size(), group_of[rank] + 1));
    peers.of[group_of[rank]].push_back(rank);
  }
  return peers;
}

TEST(Places, PutPeersTogetherByPlaceAndThenByKind) {
  // Nodes 0, 1 and, outside of steps, 2; then 3, 4, 5; then 6, 7, 8.
  const auto graph = GraphOfRanks(
      {RankOf({"[[8]]", "[[4]]"}), RankOf({"[[9]]", "[[4]]"}), RankOf({"[[8]]", "[[4]]"})});
  const Places places(*graph, Groups({0, 0, 0}));
  EXPECT_EQ(TextPlaces(places), "[ 0 6| 3] [ 1 4 7]");
  EXPECT_EQ(places.PlaceOf(2), Places::kNone);
  EXPECT_EQ(places.WorkOf(2), Places::kNone);
  EXPECT_EQ(places.work_count(), 3U);
}

TEST(Places, OfOtherGroupsAreOtherPlaces) {
  const auto graph = GraphOfRanks({RankOf({"[[8]]"}), RankOf({"[[8]]"}), RankOf({"[[8]]"})});
  EXPECT_EQ(TextPlaces(Places(*graph, Groups({0, 1, 0}))), "[ 0 4] [ 2]");
}

TEST(Places, OfNothingAreNone) {
  const auto graph = GraphOfRanks({RankOf({})});
  const Places places(*graph, Groups({0}));
  EXPECT_EQ(places.place_count(), 0U);
  EXPECT_EQ(places.work_count(), 0U);
}

}  // namespace
}  // namespace rankscope
