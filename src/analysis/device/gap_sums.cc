#include "analysis/device/gap_sums.h"

#include <algorithm>

#include "base/saturating.h"

namespace rankscope {
namespace {

GapSum SumOf(Interval gap) { return {1, SaturatingSubtract(gap.end, gap.begin), gap}; }

}  // namespace

void GapSum::Add(const GapSum& other) {
  gaps += other.gaps;
  AddSaturating(total_ns, other.total_ns);
  if (other.longest_ns() > longest_ns()) longest = other.longest;
}

void GapSums::Add(const HostMoment& moment, Interval gap) {
  const GapSum one = SumOf(gap);
  sums_[moment].Add(one);
  AddSaturating(total_ns_, one.total_ns);
}

void GapSums::AddToOthers(Interval gap) {
  const GapSum one = SumOf(gap);
  others_.Add(one);
  AddSaturating(total_ns_, one.total_ns);
}

std::vector<GapSums::Row> GapSums::Rows(std::size_t most) const {
  std::vector<Row> rows;
  for (const auto& [moment, sum] : sums_) rows.push_back({moment, sum});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.sum.total_ns > b.sum.total_ns; });
  GapSum others = others_;
  for (std::size_t i = most; i < rows.size(); ++i) others.Add(rows[i].sum);
  if (rows.size() > most) rows.resize(most);
  if (others.gaps > 0) rows.push_back({{}, others, true});
  return rows;
}

}  // namespace rankscope
