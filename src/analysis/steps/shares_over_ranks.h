// How the parts of a whole are shared out, over all devices or ranks of a job and for each.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "schemas/part_shares.h"

namespace rankscope {

struct PartsOfOne {
  std::int64_t rank = 0;
  std::int64_t whole_ns = 0;  // > 0
  std::vector<std::int64_t> parts_ns;

  double SharePct(std::size_t part) const {
    return 100.0 * static_cast<double>(parts_ns[part]) / static_cast<double>(whole_ns);
  }
};

// The table of a schema T of PartShares, with a row for each part; without rows when there are no
// ones. For the schemas that shares_over_ranks.cc lists.
template <std::derived_from<PartShares> T>
Table SharesTable(std::span<const std::string_view> names, const std::vector<PartsOfOne>& ones);

}  // namespace rankscope
