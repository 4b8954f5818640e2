#include "analysis/steps/shares_over_ranks.h"

#include <algorithm>

#include "base/saturating.h"
#include "schemas/critical_path.h"
#include "schemas/steps.h"
#include "statistics/statistics.h"

namespace rankscope {

template <std::derived_from<PartShares> T>
Table SharesTable(std::span<const std::string_view> names, const std::vector<PartsOfOne>& ones) {
  const auto& columns = SchemaOf<T>();
  auto table = columns.NewTable(std::string(T::kName));
  if (ones.empty()) return table;
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
    table.Add({columns.part = names[i], columns.duration_ns = sum,
               columns.share_pct = Percent(sum, whole), columns.min_pct = sorted.front(),
               columns.median_pct = Quantile(std::span<const double>(sorted), 0.5),
               columns.max_pct = sorted.back(), columns.min_rank = shares.front().second,
               columns.max_rank = largest->second});
  }
  return table;
}

template Table SharesTable<JobBreakdown>(std::span<const std::string_view>,
                                         const std::vector<PartsOfOne>&);
template Table SharesTable<JobCriticalPath>(std::span<const std::string_view>,
                                            const std::vector<PartsOfOne>&);

}  // namespace rankscope
