#include "analysis/ranks/shares_over_ranks.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/saturating.h"
#include "schemas/columns.h"
#include "statistics/statistics.h"

namespace rankscope {

std::vector<ColumnSpec> ShareColumns(std::string_view parts, std::string_view one) {
  return {
      column::Text("part", std::string(parts)),
      column::Int("duration_ns", "ns",
                  fmt::format("time of the part, over every {} of the job", one)),
      column::Real("share_pct", "%", "duration_ns of all parts"),
      column::Real("min_pct", "%", fmt::format("smallest share of a {}", one)),
      column::Real("median_pct", "%", fmt::format("median share over every {}", one)),
      column::Real("max_pct", "%", fmt::format("largest share of a {}", one)),
      column::Int("min_rank", "", "where the share is smallest: the rank"),
      column::Int("max_rank", "", "where it is largest"),
  };
}

void AppendShares(std::span<const std::string_view> names, const std::vector<PartsOfOne>& ones,
                  Table& table) {
  if (ones.empty()) return;
  std::int64_t whole = 0;
  for (const PartsOfOne& one : ones) AddSaturating(whole, one.whole_ns);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::int64_t sum = 0;
    std::vector<std::pair<double, std::int64_t>> shares;  // share, rank
    shares.reserve(ones.size());
    for (const PartsOfOne& one : ones) {
      AddSaturating(sum, one.parts_ns[i]);
      shares.emplace_back(one.SharePct(i), one.rank);
    }
    std::sort(shares.begin(), shares.end());
    std::vector<double> sorted;
    sorted.reserve(shares.size());
    for (const auto& [share, rank] : shares) sorted.push_back(share);
    const auto largest =
        std::lower_bound(shares.begin(), shares.end(), std::pair(sorted.back(), INT64_MIN));
    table.AddRow({names[i], sum, Percent(sum, whole), sorted.front(),
                  Quantile(std::span<const double>(sorted), 0.5), sorted.back(),
                  shares.front().second, largest->second});
  }
}

}  // namespace rankscope
