#include "compare/diff_rows.h"

#include <algorithm>
#include <cmath>

#include "base/saturating.h"
#include "statistics/welch.h"

namespace rankscope {
namespace {

std::int64_t MeanUnit(const Measures& of) {
  std::int64_t sum = 0;
  for (const StepLength& unit : of.units) AddSaturating(sum, unit.duration_ns);
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
  all.base_replicates = base.replicates;
  all.test_replicates = test.replicates;
  ExactMeans of_base(base.windows);
  ExactMeans of_test(test.windows);
  all.sums.reserve(all.pairs.size());
  for (const PlacePair& pair : all.pairs) {
    RowSum sum;
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
  std::vector<std::optional<double>> chances;
  chances.reserve(rows.size());
  for (const RowSum* row : rows) {
    if (static_cast<double>(std::max(std::abs(row->base.ns), std::abs(row->test.ns))) < least) {
      chances.emplace_back();
      continue;
    }
    // A side that lacks a row has 0 in every replicate.
    std::vector<double> base = row->base.values;
    std::vector<double> test = row->test.values;
    base.resize(all.base_replicates);
    test.resize(all.test_replicates);
    chances.push_back(WelchTest(base, test));
  }
  return HolmAdjusted(chances);
}

}  // namespace rankscope
