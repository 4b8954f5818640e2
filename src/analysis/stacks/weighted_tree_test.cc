#include "analysis/stacks/weighted_tree.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace rankscope {
namespace {

constexpr auto kRoot = WeightedTree::kRoot;

// A line per frame: indented name, count, own and total host and device time.
std::string Lines(const WeightedTree& tree) {
  std::string lines;
  const auto totals = tree.Totals();
  std::vector<int> level(tree.frames().size());
  for (std::size_t i = 0; i < tree.frames().size(); ++i) {
    const WeightedTree::Frame& frame = tree.frames()[i];
    level[i] = frame.parent == kRoot ? 0 : level[frame.parent] + 1;
    lines += fmt::format("{:{}}{} {} host {}/{} device {}/{}\n", "", 2 * level[i],
                         tree.names()[frame.name], frame.own.count, frame.own.host_ns,
                         totals[i].host_ns, frame.own.device_ns, totals[i].device_ns);
  }
  return lines;
}

std::uint32_t Add(WeightedTree& tree, std::uint32_t parent, std::string_view name,
                  const WeightedTree::Weights& own, FrameKind kind = FrameKind::kOp) {
  const std::uint32_t frame = tree.Child(parent, tree.Name(name), kind);
  tree.Add(frame, own);
  return frame;
}

// main: a (heavy on the host) holds tiny; b (heavy on the device) holds c.
WeightedTree ProgramWeightedTree() {
  WeightedTree tree;
  const auto main = Add(tree, kRoot, "main", {1, 10, 0});
  const auto a = Add(tree, main, "a", {2, 70, 0});
  Add(tree, a, "tiny", {3, 1, 2});
  const auto b = Add(tree, main, "b", {1, 4, 0});
  Add(tree, b, "c", {5, 0, 90});
  Add(tree, kRoot, "nothing", {0, 0, 0});
  return tree;
}

TEST(WeightedTree, FoldingNothingOrdersAndDropsWhatHoldsNothing) {
  EXPECT_EQ(Lines(ProgramWeightedTree().Folded(0)),
            "main 1 host 10/85 device 0/92\n"
            "  b 1 host 4/4 device 0/90\n"
            "    c 5 host 0/0 device 90/90\n"
            "  a 2 host 70/71 device 0/2\n"
            "    tiny 3 host 1/1 device 2/2\n");
  EXPECT_TRUE(WeightedTree().Folded(0).frames().empty());
}

TEST(WeightedTree, WhatIsSmallIsFoldedIntoTheFrameAround) {
  // Shares: main 1, b and c 90/92 of the device, a 71/85 of the host, tiny 2/92.
  EXPECT_EQ(Lines(ProgramWeightedTree().Folded(4)),
            "main 1 host 10/85 device 0/92\n"
            "  b 1 host 4/4 device 0/90\n"
            "    c 5 host 0/0 device 90/90\n"
            "  a 2 host 70/71 device 0/2\n"
            "    (others) 3 host 1/1 device 2/2\n");
  EXPECT_EQ(Lines(ProgramWeightedTree().Folded(2)),
            "main 1 host 10/85 device 0/92\n"
            "  b 1 host 4/4 device 0/90\n"
            "    (others) 5 host 0/0 device 90/90\n"
            "  (others) 5 host 71/71 device 2/2\n");
}

TEST(WeightedTree, FoldingTwiceKeepsOneOthersPerFrame) {
  WeightedTree tree = ProgramWeightedTree().Folded(2);
  // A frame of that name that the program itself has is another one.
  Add(tree, 0, kFoldedFrames, {1, 1, 1});
  EXPECT_EQ(Lines(tree.Folded(1)),
            "main 1 host 10/86 device 0/93\n  (others) 12 host 76/76 device 93/93\n");
  EXPECT_EQ(Lines(tree.Folded(3)),
            "main 1 host 10/86 device 0/93\n"
            "  b 1 host 4/4 device 0/90\n"
            "    (others) 5 host 0/0 device 90/90\n"
            "  (others) 1 host 1/1 device 1/1\n"
            "  (others) 5 host 71/71 device 2/2\n");
}

TEST(WeightedTree, TheOrderOfMergingDoesNotMatter) {
  // The same random frames, added in two orders; half of the weights are equal.
  struct Entry {
    std::vector<int> path;
    WeightedTree::Weights own;
  };
  std::mt19937 random(7);
  std::vector<Entry> entries;
  for (int i = 0; i < 500; ++i) {
    Entry entry;
    for (unsigned depth = random() % 6 + 1; depth > 0; --depth)
      entry.path.push_back(static_cast<int>(random() % 4));
    entry.own = {1, static_cast<std::int64_t>(random() % 2 * 5),
                 static_cast<std::int64_t>(random() % 3)};
    entries.push_back(entry);
  }
  const auto build = [](const std::vector<Entry>& from) {
    WeightedTree tree;
    for (const Entry& entry : from) {
      std::uint32_t at = kRoot;
      for (const int name : entry.path)
        at = tree.Child(at, tree.Name(std::to_string(name)), FrameKind::kOp);
      tree.Add(at, entry.own);
    }
    return tree;
  };
  const WeightedTree forward = build(entries);
  std::shuffle(entries.begin(), entries.end(), random);
  const WeightedTree shuffled = build(entries);
  for (const std::size_t most : {0, 1, 20, 100, 1000}) {
    const WeightedTree folded = forward.Folded(most);
    EXPECT_EQ(Lines(folded), Lines(shuffled.Folded(most))) << most;
    std::int64_t host = 0;
    std::int64_t device = 0;
    std::size_t others = 0;
    for (const auto& frame : folded.frames()) {
      host += frame.own.host_ns;
      device += frame.own.device_ns;
      others += frame.kind == FrameKind::kNone;
    }
    EXPECT_LE(folded.frames().size() - others, most == 0 ? 500 * 6 : most);
    EXPECT_LE(others, most + 1);
    std::int64_t all_host = 0;
    std::int64_t all_device = 0;
    for (const Entry& entry : entries) {
      all_host += entry.own.host_ns;
      all_device += entry.own.device_ns;
    }
    EXPECT_EQ(host, all_host);
    EXPECT_EQ(device, all_device);
  }
}

}  // namespace
}  // namespace rankscope
