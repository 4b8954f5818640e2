// Peers: ranks with the same work, for comparison with a rank.
#pragma once

#include <cstdint>
#include <vector>

#include "job/job_layout.h"

namespace rankscope {

// Ranks with the same number have the same role, stage and place in every other dimension, and
// differ only in dp. If that gives fewer than three, cp is ignored as well, then ep, then tp. By
// dense number of the rank.
struct Peers {
  std::vector<std::uint32_t> group_of;         // by rank
  std::vector<std::vector<std::uint32_t>> of;  // ranks by group
  std::size_t SizeFor(std::uint32_t rank) const { return of[group_of[rank]].size(); }
};

inline constexpr std::size_t kEnoughPeers = 3;

Peers PeersOf(const JobLayout& layout, std::size_t ranks);

}  // namespace rankscope
