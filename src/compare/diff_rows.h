// Rows of differences: sums over matched places, grouped by a key, with their spread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compare/match.h"
#include "schemas/diff.h"
#include "table/or_null.h"

namespace rankscope {

// A p value below this is significant (diff_*.significant).
inline constexpr double kLargestChance = 0.05;
// Rows below this share of the step on both sides are not tested: they cannot matter, and every
// further test reduces the power of the others.
inline constexpr double kLeastTestedPct = 1;

// One side of a row. Means per window; `values` are those of its replicates.
struct SideSum {
  std::int64_t ns = 0;
  double count = 0;
  std::vector<double> values;

  void Add(std::int64_t more_ns, double more_count, const std::vector<double>& more_values);
};
struct RowSum {
  SideSum base;
  SideSum test;
  std::int64_t change_ns() const { return test.ns - base.ns; }
};

// The rounded means of matched places; they sum to those of the whole.
struct PairedSums {
  std::vector<PlacePair> pairs;
  std::vector<RowSum> sums;  // per pair
  RowSum outside;            // over all device windows
  std::int64_t base_ns = 0;  // per unit
  std::int64_t test_ns = 0;
  std::size_t base_replicates = 0;
  std::size_t test_replicates = 0;

  double OfStepPct(std::int64_t change_ns) const {
    return base_ns > 0 ? 100 * static_cast<double>(change_ns) / static_cast<double>(base_ns) : 0;
  }
};
PairedSums SumPairs(const Measures& base, const Measures& test);

// The p value of each row, corrected for the number of tested rows; null for rows without a test.
std::vector<std::optional<double>> ChancesOf(const std::vector<const RowSum*>& rows,
                                             const PairedSums& all);

// Rows by a key of N texts; "" means unknown.
template <std::size_t N>
using RowsByKey = std::map<std::array<std::string, N>, RowSum>;

// Adds every place of either side under its own key, and time outside of devices under `outside`.
template <std::size_t N, typename KeyOf>
RowsByKey<N> GroupSides(const PairedSums& all, std::array<std::string, N> outside, KeyOf key_of) {
  RowsByKey<N> rows;
  const auto add = [](SideSum& to, const SideSum& from) {
    to.Add(from.ns, from.count, from.values);
  };
  for (std::size_t i = 0; i < all.pairs.size(); ++i) {
    const PlacePair& pair = all.pairs[i];
    if (pair.base != nullptr) add(rows[key_of(pair.base->place)].base, all.sums[i].base);
    if (pair.test != nullptr) add(rows[key_of(pair.test->place)].test, all.sums[i].test);
  }
  RowSum& rest = rows[std::move(outside)];
  add(rest.base, all.outside.base);
  add(rest.test, all.outside.test);
  return rows;
}

// Adds a row of a DiffSums schema T; `names` are the cells before the sums.
template <typename T, typename... Names>
void AddSums(TableOf<T>& table, const RowSum& row, std::optional<double> chance,
             const PairedSums& all, const Names&... names) {
  const auto& columns = SchemaOf<T>();
  const double base_ns = static_cast<double>(row.base.ns);
  table.Add(
      {names..., columns.base_ns = row.base.ns, columns.test_ns = row.test.ns,
       columns.change_ns = row.change_ns(), columns.of_step_pct = all.OfStepPct(row.change_ns()),
       columns.change_pct = row.base.ns > 0
                                ? Value(100 * static_cast<double>(row.change_ns()) / base_ns)
                                : Value(kNull),
       columns.base_count = row.base.count, columns.test_count = row.test.count, columns.p = chance,
       columns.significant = chance ? Value(*chance < kLargestChance) : Value(kNull)});
}

namespace diff_internal {

template <typename T, std::size_t N, std::size_t... I, typename... Names>
void AddKeyed(TableOf<T>& table, const std::array<std::string, N>& key, const RowSum& row,
              std::optional<double> chance, const PairedSums& all, std::index_sequence<I...>,
              const Names&... names) {
  AddSums<T>(table, row, chance, all, (names = TextOrNull(key[I]))...);
}

}  // namespace diff_internal

// The table of schema T with `rows`, the largest change first; `names` are the columns of the key.
template <typename T, std::size_t N, typename... Names>
Table TableOfRows(const RowsByKey<N>& rows, const PairedSums& all, const Names&... names) {
  static_assert(sizeof...(Names) == N);
  using Entry = typename RowsByKey<N>::value_type;
  std::vector<const Entry*> order;
  order.reserve(rows.size());
  for (const Entry& row : rows) order.push_back(&row);
  const auto size = [](const Entry* entry) {
    const RowSum& row = entry->second;
    return std::pair(std::abs(row.change_ns()), std::max(row.base.ns, row.test.ns));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Entry* a, const Entry* b) { return size(a) > size(b); });
  std::vector<const RowSum*> sums;
  sums.reserve(order.size());
  for (const Entry* entry : order) sums.push_back(&entry->second);
  const std::vector<std::optional<double>> chances = ChancesOf(sums, all);
  auto table = SchemaOf<T>().NewTable(std::string(T::kName));
  for (std::size_t i = 0; i < order.size(); ++i)
    diff_internal::AddKeyed<T>(table, order[i]->first, *sums[i], chances[i], all,
                               std::make_index_sequence<N>(), names...);
  return table;
}

}  // namespace rankscope
