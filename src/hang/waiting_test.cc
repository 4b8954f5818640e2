#include "hang/waiting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::hang {
namespace {

using ::testing::ElementsAre;

TEST(FindRootsTest, TheEndOfAChainIsTheRoot) {
  // 0 waits for 1, 1 and 3 for 2; 4 stands alone.
  const Roots roots = FindRoots({{1}, {2}, {}, {2}, {}});
  const auto root = [&](std::uint32_t call) { return roots.is_root[roots.knot[call]]; };
  EXPECT_THAT((std::vector<bool>{root(0), root(1), root(2), root(3), root(4)}),
              ElementsAre(false, false, true, false, true));
  EXPECT_EQ(roots.held_up[roots.knot[2]], 3);
  EXPECT_EQ(roots.held_up[roots.knot[4]], 0);
}

TEST(FindRootsTest, ACircleIsOneRoot) {
  // 0 and 1 wait for each other, 2 for 1.
  const Roots roots = FindRoots({{1}, {0}, {1}});
  EXPECT_EQ(roots.knot[0], roots.knot[1]);
  EXPECT_NE(roots.knot[0], roots.knot[2]);
  EXPECT_EQ(roots.size[roots.knot[0]], 2U);
  EXPECT_TRUE(roots.is_root[roots.knot[0]]);
  EXPECT_FALSE(roots.is_root[roots.knot[2]]);
  EXPECT_EQ(roots.held_up[roots.knot[0]], 1);
}

TEST(FindRootsTest, ACircleThatWaitsForAnotherCallIsNoRoot) {
  const Roots roots = FindRoots({{1}, {0, 2}, {}});
  EXPECT_FALSE(roots.is_root[roots.knot[0]]);
  EXPECT_TRUE(roots.is_root[roots.knot[2]]);
  EXPECT_EQ(roots.held_up[roots.knot[2]], 2);
}

TEST(FindRootsTest, LongChainsNeedNoStack) {
  Waiting waiting(1'000'000);
  for (std::uint32_t i = 0; i + 1 < waiting.size(); ++i) waiting[i] = {i + 1};
  EXPECT_EQ(FindRoots(waiting).held_up[FindRoots(waiting).knot.back()], 999'999);
}

}  // namespace
}  // namespace rankscope::hang
