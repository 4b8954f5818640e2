#include "compare/diff_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/welch.h"

namespace rankscope {
namespace {

std::int64_t MeanUnit(const Measures& of) {
  const std::int64_t sum = std::accumulate(
      of.units.begin(), of.units.end(), std::int64_t{0},
      [](std::int64_t before, const StepLength& unit) { return before + unit.duration_ns; });
  return RoundedMean(sum, std::ssize(of.units));
}

double MeanCount(const PlaceSum& sum, const Measures& of) {
  return of.windows > 0 ? static_cast<double>(sum.count) / static_cast<double>(of.windows) : 0;
}

}  // namespace

void SideSum::Add(std::int64_t more_ns, double more_count, const std::vector<double>& more_values) {
  ns += more_ns;
  count += more_count;
  if (values.empty()) values.resize(more_values.size());
  for (std::size_t i = 0; i < more_values.size(); ++i) values[i] += more_values[i];
}

PairedSums SumPairs(const Measures& base, const Measures& test) {
  PairedSums all;
  all.pairs = MatchPlaces(base.work, test.work);
  all.base_ns = MeanUnit(base);
  all.test_ns = MeanUnit(test);
  ExactMeans of_base(base.windows);
  ExactMeans of_test(test.windows);
  // Sides that lack a row have 0 in every replicate.
  const std::vector<double> no_base(base.replicates);
  const std::vector<double> no_test(test.replicates);
  all.sums.reserve(all.pairs.size());
  for (const PlacePair& pair : all.pairs) {
    RowSum sum;
    sum.base.values = no_base;
    sum.test.values = no_test;
    if (pair.base != nullptr)
      sum.base.Add(of_base.Next(pair.base->total_ns), MeanCount(*pair.base, base),
                   pair.base->values);
    if (pair.test != nullptr)
      sum.test.Add(of_test.Next(pair.test->total_ns), MeanCount(*pair.test, test),
                   pair.test->values);
    all.sums.push_back(std::move(sum));
  }
  all.outside.base = {all.base_ns - of_base.told(), 0, base.outside};
  all.outside.test = {all.test_ns - of_test.told(), 0, test.outside};
  return all;
}

std::vector<std::optional<double>> ChancesOf(const std::vector<const RowSum*>& rows,
                                             const PairedSums& all) {
  const double least = kLeastTestedPct / 100 * static_cast<double>(all.base_ns);
  std::size_t base_values = 0;
  std::size_t test_values = 0;
  for (const RowSum* row : rows) {
    base_values = std::max(base_values, row->base.values.size());
    test_values = std::max(test_values, row->test.values.size());
  }
  std::vector<std::optional<double>> chances;
  chances.reserve(rows.size());
  for (const RowSum* row : rows) {
    if (static_cast<double>(std::max(std::abs(row->base.ns), std::abs(row->test.ns))) < least) {
      chances.emplace_back();
      continue;
    }
    std::vector<double> base = row->base.values;
    std::vector<double> test = row->test.values;
    base.resize(base_values);
    test.resize(test_values);
    chances.push_back(WelchTest(base, test));
  }
  return HolmAdjusted(chances);
}

}  // namespace rankscope
