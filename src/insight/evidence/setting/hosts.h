// The host of each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// From the name in a recording; else, if it lists several devices of its host, that number of
// consecutive ranks share a host, as launchers place them. Ranks without either count as on one
// host.
struct Hosts {
  explicit Hosts(const RuleInput& input);

  std::vector<std::uint32_t> of_rank;  // a number, by dense number of the rank
  std::vector<bool> is_known;          // of a rank
  // The number of hosts of these ranks (dense numbers).
  std::size_t Spanned(std::span<const std::uint32_t> ranks) const;
  // Whether all of them are known to be on one host.
  bool AreOnOne(std::span<const std::uint32_t> ranks) const;
};

}  // namespace rankscope
