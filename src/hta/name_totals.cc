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

void NameSums::AppendTo(Table& table, std::string_view group) const {
  for (const auto& [name, sum] : sums_) {
    table.AddRow({group, name, sum.sum, sum.max, sum.min,
                  static_cast<double>(sum.sum) / static_cast<double>(sum.count), sum.spread.std()});
  }
}

std::vector<ColumnSpec> NameSums::Columns() {
  return {{"group", ColumnType::kString}, {"name", ColumnType::kString}, {"sum"}, {"max"}, {"min"},
          {"mean", ColumnType::kDouble},  {"std", ColumnType::kDouble}};
}

std::vector<NameTotal> TotalsOf(const Table& table, std::string_view group) {
  std::vector<NameTotal> totals;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (table.String(row, 0) != group) continue;
    totals.push_back({std::string(table.String(row, 1)), table.Int(row, 2), table.Int(row, 3),
                      table.Int(row, 4), table.Double(row, 5), table.Double(row, 6)});
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

std::vector<ColumnSpec> NameTotalColumns() {
  return {{"name", ColumnType::kString, "", "name as recorded, or \"others\""},
          {"sum (us)", ColumnType::kInt64, "", "sum of its durations"},
          {"max (us)", ColumnType::kInt64, "",
           "longest; its total once there are more than num_kernels names"},
          {"min (us)", ColumnType::kInt64, "",
           "shortest; its total once there are more than num_kernels names"},
          {"stddev", ColumnType::kDouble, "us",
           "standard deviation (n - 1), 0 for one; of totals once there are more than num_kernels "
           "names"},
          {"mean (us)", ColumnType::kDouble, "",
           "mean; its total once there are more than num_kernels names"}};
}

std::vector<Value> CellsOf(const NameTotal& total) {
  return {std::string_view(total.name), total.sum, total.max, total.min, total.std, total.mean};
}

}  // namespace rankscope::hta
