#include "hta/name_totals.h"

#include <algorithm>

namespace rankscope::hta {
namespace {

bool HoldsAny(std::string_view name, const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return name.find(text) != std::string_view::npos;
  });
}

NameTotal Regroup(const std::string& name, const std::vector<std::int64_t>& sums) {
  NameTotal total;
  total.name = name;
  total.max = *std::max_element(sums.begin(), sums.end());
  total.min = *std::min_element(sums.begin(), sums.end());
  RunningSpread spread;
  for (const std::int64_t sum : sums) {
    total.sum += sum;
    spread.Add(static_cast<double>(sum));
  }
  total.mean = static_cast<double>(total.sum) / static_cast<double>(sums.size());
  total.std = spread.std();
  return total;
}

}  // namespace

void NameSums::Add(std::string_view name, std::int64_t duration) {
  Sum& sum = sums_[name];
  sum.sum += duration;
  sum.max = std::max(sum.max, duration);
  sum.min = std::min(sum.min, duration);
  ++sum.count;
  sum.spread.Add(static_cast<double>(duration));
}

void NameSums::AppendTo(TableOf<NameSumPartial>& table, std::string_view group) const {
  const auto& columns = SchemaOf<NameSumPartial>();
  for (const auto& [name, sum] : sums_) {
    table.Add({columns.group = group, columns.name = name, columns.sum = sum.sum,
               columns.max = sum.max, columns.min = sum.min,
               columns.mean = static_cast<double>(sum.sum) / static_cast<double>(sum.count),
               columns.std = sum.spread.std()});
  }
}

std::vector<NameTotal> TotalsOf(ViewOf<NameSumPartial> table, std::string_view group) {
  const auto& columns = SchemaOf<NameSumPartial>();
  std::vector<NameTotal> totals;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (table.String(row, columns.group) != group) continue;
    totals.push_back({.name = std::string(table.String(row, columns.name)),
                      .sum = table.Int(row, columns.sum),
                      .max = table.Int(row, columns.max),
                      .min = table.Int(row, columns.min),
                      .mean = table.Double(row, columns.mean),
                      .std = table.Double(row, columns.std)});
  }
  return totals;
}

std::vector<NameTotal> Fold(std::vector<NameTotal> totals, const Folding& folding) {
  if (static_cast<std::int64_t>(totals.size()) <= folding.most_names) return totals;
  std::stable_sort(totals.begin(), totals.end(),
                   [](const NameTotal& a, const NameTotal& b) { return a.sum > b.sum; });
  std::vector<double> cumulated;
  cumulated.reserve(totals.size());
  double so_far = 0;
  for (const NameTotal& total : totals)
    cumulated.push_back(so_far += static_cast<double>(total.sum));
  std::vector<double> sorted = cumulated;  // negative sums would be out of order
  std::sort(sorted.begin(), sorted.end());
  const double limit = QuantileOf(sorted, folding.quantile);

  std::map<std::string, std::vector<std::int64_t>> sums;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const bool is_small =
        cumulated[i] > limit || static_cast<std::int64_t>(i) >= folding.most_names;
    const bool is_kept = folding.never_others.empty()
                             ? totals[i].sum < 0  // meant to hold for none
                             : HoldsAny(totals[i].name, folding.never_others);
    const bool is_other = is_small && !is_kept;
    sums[is_other ? "others" : totals[i].name].push_back(totals[i].sum);
  }
  std::vector<NameTotal> folded;
  folded.reserve(sums.size());
  for (const auto& [name, of_name] : sums) folded.push_back(Regroup(name, of_name));
  return folded;
}

}  // namespace rankscope::hta

namespace rankscope {
template const hta::NameSumPartial& SchemaOf<hta::NameSumPartial>();
}  // namespace rankscope
