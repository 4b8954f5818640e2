#include "replay/columns/node_columns.h"

#include <gtest/gtest.h>

#include <vector>

namespace rankscope {
namespace {

TEST(NodeColumns, GiveBackWhatTheyAreGiven) {
  NodeColumns nodes;
  nodes.edges().Resize(2);
  nodes.edges().Set(0, {0, -3, DependencyKind::kSync});
  nodes.edges().Set(1, {1, 5, DependencyKind::kLaunch});
  nodes.PushBack({.duration_ns = 10, .gap_ns = -1, .kind = 300});
  nodes.PushBack({.duration_ns = std::int64_t{1} << 40, .previous = 0, .rendezvous = 0});
  nodes.PushBack({.gap_ns = INT32_MIN, .previous = 1, .first_edge = 1, .rendezvous = 70'000});
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].duration_ns, 10);
  EXPECT_EQ(nodes[0].gap_ns, -1);
  EXPECT_EQ(nodes[0].previous, kNoNode);
  EXPECT_EQ(nodes[0].kind, 300U);
  EXPECT_EQ(nodes[0].rendezvous, kNoRendezvous);
  EXPECT_EQ(nodes[1].duration_ns, std::int64_t{1} << 40);
  EXPECT_EQ(nodes[1].previous, 0U);
  EXPECT_EQ(nodes[1].rendezvous, 0U);
  EXPECT_EQ(nodes[2].gap_ns, INT32_MIN);
  EXPECT_EQ(nodes[2].rendezvous, 70'000U);
  EXPECT_TRUE(nodes.EdgesOf(0).empty());
  ASSERT_EQ(nodes.EdgesOf(1).size(), 1U);
  EXPECT_TRUE(nodes.EdgesOf(1)[0].kind == DependencyKind::kSync);
  EXPECT_TRUE(nodes.EdgesOf(2)[0].kind == DependencyKind::kLaunch);
  nodes.SetRendezvous(1, kNoRendezvous);
  EXPECT_EQ(nodes.RendezvousOf(1), kNoRendezvous);
}

TEST(NodeColumns, PreviousNodesHoweverFar) {
  constexpr NodeId kFarther = 70'000;
  const std::vector<NodeId> distances = {1, 254, 255, 256, 65'534, 65'535, 65'536, kFarther};
  NodeColumns nodes;
  nodes.Resize(kFarther + distances.size());
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const auto node = static_cast<NodeId>(kFarther + i);
    nodes.Set(node, {.previous = node - distances[i]});
  }
  for (std::size_t i = 0; i < distances.size(); ++i)
    EXPECT_EQ(nodes.PreviousOf(static_cast<NodeId>(kFarther + i)), kFarther + i - distances[i]);
  // A far one may become near, or none.
  nodes.Set(kFarther + 7, {.previous = kFarther});
  EXPECT_EQ(nodes.PreviousOf(kFarther + 7), kFarther);
  nodes.Set(kFarther + 7, {});
  EXPECT_EQ(nodes.PreviousOf(kFarther + 7), kNoNode);
}

TEST(EdgeColumns, LagsOfAnyLength) {
  constexpr std::int32_t kHeld = (1 << 28) - 1;
  const std::vector<std::int32_t> lags = {0,      1,          -1,         kHeld,     kHeld + 1,
                                          -kHeld, -kHeld - 1, -kHeld - 2, INT32_MAX, INT32_MIN};
  EdgeColumns edges;
  edges.Resize(lags.size());
  for (std::size_t i = 0; i < lags.size(); ++i)
    edges.Set(i, {static_cast<NodeId>(i), lags[i], static_cast<DependencyKind>(i % 6)});
  for (std::size_t i = 0; i < lags.size(); ++i) {
    EXPECT_EQ(edges[i].from, i);
    EXPECT_EQ(edges[i].lag_ns, lags[i]);
    EXPECT_EQ(static_cast<std::size_t>(edges[i].kind), i % 6);
  }
  std::size_t count = 0;
  for (const NodeEdge& edge : EdgesView(edges, 2, 5)) count += edge.from;
  EXPECT_EQ(count, 2U + 3U + 4U);
}

}  // namespace
}  // namespace rankscope
