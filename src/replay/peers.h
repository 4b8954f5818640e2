// Peers: ranks that do the same work, with which a rank is compared.
#pragma once

#include <cstdint>
#include <vector>

#include "job/job_layout.h"

namespace rankscope {

// Of one number: same role, stage and place in every other dimension, differing in dp only; where
// that makes fewer than three, whatever their cp, then ep, then tp. By dense number of the rank.
struct Peers {
  std::vector<std::uint32_t> group_of;         // by rank
  std::vector<std::vector<std::uint32_t>> of;  // ranks by group
  std::size_t SizeFor(std::uint32_t rank) const { return of[group_of[rank]].size(); }
};

inline constexpr std::size_t kEnoughPeers = 3;

Peers PeersOf(const JobLayout& layout, std::size_t ranks);

}  // namespace rankscope
