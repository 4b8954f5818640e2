// How the parts of a whole are shared out, over all devices or ranks of a job and for each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace rankscope {

struct PartsOfOne {
  std::int64_t rank = 0;
  std::int64_t whole_ns = 0;  // > 0
  std::vector<std::int64_t> parts_ns;

  double SharePct(std::size_t part) const {
    return 100.0 * static_cast<double>(parts_ns[part]) / static_cast<double>(whole_ns);
  }
};

// "part" and its sum, its share, the smallest, median and largest share of one, with their ranks.
// `one` is what they are: "device", "rank".
std::vector<ColumnSpec> ShareColumns(std::string_view parts, std::string_view one);

// A row for each part; none when there are no ones.
void AppendShares(std::span<const std::string_view> names, const std::vector<PartsOfOne>& ones,
                  Table& table);

}  // namespace rankscope
