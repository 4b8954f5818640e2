#include "sim/model/routing.h"

#include <gtest/gtest.h>

#include <numeric>

namespace rankscope::sim {
namespace {

std::vector<Routed> RouteAll(const Router& router, int step, std::uint32_t layer) {
  std::vector<Routed> all(static_cast<std::size_t>(router.members));
  for (int place = 0; place < router.members; ++place) {
    router.Route(step, layer, place, &all[static_cast<std::size_t>(place)]);
  }
  return all;
}

TEST(Routing, WhatOneSendsTheOtherReceives) {
  const Router router{.seed = 3, .tokens = 8191, .members = 5, .group = 2, .extra_per_mille = 700};
  const std::vector<Routed> all = RouteAll(router, 1, 4);
  for (std::size_t from = 0; from < all.size(); ++from) {
    EXPECT_EQ(std::accumulate(all[from].sent.begin(), all[from].sent.end(), std::int64_t{0}), 8191);
    EXPECT_EQ(
        std::accumulate(all[from].received.begin(), all[from].received.end(), std::int64_t{0}),
        all[from].total_received);
    for (std::size_t to = 0; to < all.size(); ++to) {
      EXPECT_EQ(all[from].sent[to], all[to].received[from]);
      EXPECT_GE(all[from].sent[to], 0);
    }
  }
}

TEST(Routing, IsAboutEvenUnlessThereIsAFavourite) {
  Router router{.seed = 3, .tokens = 8000, .members = 4};
  for (const Routed& routed : RouteAll(router, 0, 0)) {
    EXPECT_NEAR(static_cast<double>(routed.total_received), 8000, 800);
  }
  router.extra_per_mille = 1000;  // twice the share of another: 2 of 5
  int favourites = 0;
  for (const Routed& routed : RouteAll(router, 0, 0)) {
    if (routed.total_received < 10'000) continue;
    ++favourites;
    EXPECT_NEAR(static_cast<double>(routed.total_received), 4 * 8000 * 2 / 5.0, 1000);
  }
  EXPECT_EQ(favourites, 1);
}

}  // namespace
}  // namespace rankscope::sim
