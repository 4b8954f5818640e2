// On which host each rank runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// By the name that a recording states; else, where it lists several devices of its host, so many
// ranks in a row share one, as launchers place them. Ranks of which neither is known count as on
// one host.
struct Hosts {
  explicit Hosts(const RuleInput& input);

  std::vector<std::uint32_t> of_rank;  // a number, by dense number of the rank
  std::vector<bool> is_known;          // of a rank
  // How many hosts these ranks span, dense numbers.
  std::size_t Spanned(std::span<const std::uint32_t> ranks) const;
  // Whether it is known of all of them that they are on one.
  bool AreOnOne(std::span<const std::uint32_t> ranks) const;
};

}  // namespace rankscope
