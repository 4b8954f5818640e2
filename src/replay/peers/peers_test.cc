// Who is compared with whom.
#include "replay/peers/peers.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

// tp fastest, then cp, dp, pp; ep follows dp.
JobLayout LayoutOf(std::int32_t tp, std::int32_t cp, std::int32_t dp, std::int32_t pp,
                   std::int32_t ep = 1) {
  JobLayout layout;
  for (std::int32_t p = 0; p < pp; ++p) {
    for (std::int32_t d = 0; d < dp; ++d) {
      for (std::int32_t c = 0; c < cp; ++c) {
        for (std::int32_t t = 0; t < tp; ++t) {
          RankPlace place;
          place.role = RankRole::kTrainer;
          place.at[static_cast<std::size_t>(Dimension::kTensor)] = t;
          place.at[static_cast<std::size_t>(Dimension::kContext)] = c;
          place.at[static_cast<std::size_t>(Dimension::kData)] = d;
          place.at[static_cast<std::size_t>(Dimension::kPipeline)] = p;
          place.at[static_cast<std::size_t>(Dimension::kExpert)] = d % ep;
          layout.places.push_back(place);
        }
      }
    }
  }
  return layout;
}

// "0,2,4 | 1,3,5": groups in the order of their first rank.
std::string TextPeers(const Peers& peers) {
  std::string text;
  for (std::uint32_t rank = 0; rank < peers.group_of.size(); ++rank) {
    const std::vector<std::uint32_t>& of = peers.of[peers.group_of[rank]];
    EXPECT_NE(std::find(of.begin(), of.end(), rank), of.end());
    if (of.front() != rank) continue;
    if (!text.empty()) text += " | ";
    for (const std::uint32_t one : of) text += fmt::format("{}{}", one == rank ? "" : ",", one);
  }
  return text;
}
std::string PeersText(const JobLayout& layout) {
  return TextPeers(PeersOf(layout, layout.places.size()));
}

TEST(Peers, DifferInDataParallelismOnly) {
  EXPECT_EQ(PeersText(LayoutOf(2, 1, 3, 1)), "0,2,4 | 1,3,5");
}
TEST(Peers, NeverInTheStage) {
  EXPECT_EQ(PeersText(LayoutOf(1, 1, 3, 2)), "0,1,2 | 3,4,5");
  EXPECT_EQ(PeersText(LayoutOf(1, 1, 1, 3)), "0 | 1 | 2");
}
TEST(Peers, ThreeAreEnoughElseContextExpertAndTensorMayDiffer) {
  EXPECT_EQ(PeersText(LayoutOf(1, 2, 2, 1)), "0,1,2,3");  // cp
  EXPECT_EQ(PeersText(LayoutOf(2, 1, 2, 1)), "0,1,2,3");  // tp
  EXPECT_EQ(PeersText(LayoutOf(2, 1, 2, 2)), "0,1,2,3 | 4,5,6,7");
  // Experts first: without regard to them three differ in dp only, and tp must agree.
  EXPECT_EQ(PeersText(LayoutOf(2, 1, 4, 1, 2)), "0,2,4,6 | 1,3,5,7");
  EXPECT_EQ(PeersText(LayoutOf(1, 1, 6, 1, 2)), "0,2,4 | 1,3,5");
}
TEST(Peers, RolesAreApart) {
  JobLayout layout = LayoutOf(1, 1, 6, 1);
  for (std::size_t rank = 3; rank < 6; ++rank) layout.places[rank].role = RankRole::kGenerator;
  EXPECT_EQ(PeersText(layout), "0,1,2 | 3,4,5");
}
TEST(Peers, OfRanksWhosePlaceIsNotKnownAreAllSuch) {
  EXPECT_EQ(TextPeers(PeersOf(JobLayout{}, 4)), "0,1,2,3");
  EXPECT_EQ(TextPeers(PeersOf(JobLayout{}, 0)), "");
  EXPECT_EQ(PeersOf(JobLayout{}, 4).SizeFor(2), 4U);
}

}  // namespace
}  // namespace rankscope
