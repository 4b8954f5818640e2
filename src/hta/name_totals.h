// HTA's table of durations by name, and how it folds the small ones into "others".
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hta/frame.h"
#include "hta/stats.h"
#include "table/schema.h"

namespace rankscope::hta {

struct NameTotal {
  std::string name;
  std::int64_t sum = 0;
  std::int64_t max = 0;
  std::int64_t min = 0;
  double mean = 0;
  double std = 0;
};

// A rank's durations by name.
struct NameSumPartial : Schema<NameSumPartial> {
  StringColumn group = Text("group");
  StringColumn name = Text("name");
  IntColumn sum = Int("sum");
  IntColumn max = Int("max");
  IntColumn min = Int("min");
  RealColumn mean = Real("mean");
  RealColumn std = Real("std");
};

// Durations of events by name, for Map.
class NameSums {
 public:
  void Add(std::string_view name, std::int64_t duration);
  // Adds a row of NameSumPartial per name, sorted by name.
  void AppendTo(TableOf<NameSumPartial>& table, std::string_view group) const;

 private:
  struct Sum {
    std::int64_t sum = 0;
    std::int64_t max = INT64_MIN;
    std::int64_t min = INT64_MAX;
    std::int64_t count = 0;
    RunningSpread spread;
  };
  std::map<std::string_view, Sum> sums_;
};

// The rows of one group of a NameSumPartial.
std::vector<NameTotal> TotalsOf(ViewOf<NameSumPartial> table, std::string_view group);

struct Folding {
  std::int64_t most_names = 0;
  double quantile = 0;
  std::vector<std::string> never_others;  // names that contain one of these texts
};

// If there are more than most_names names, two groups become "others": names whose cumulated sum
// (largest first) is beyond the quantile of all cumulated sums, and names after the first
// most_names. Every statistic is then computed over the sums per name, so max, min and mean of a
// name equal its total. Sorted by name.
std::vector<NameTotal> Fold(std::vector<NameTotal> totals, const Folding& folding);

// The first columns of a table of totals.
struct NameTotals : Schema<NameTotals> {
  StringColumn name = Text("name", "name as recorded, or \"others\"");
  IntColumn sum_us = Int("sum (us)", "", "sum of its durations");
  IntColumn max_us =
      Int("max (us)", "", "longest; its total once there are more than num_kernels names");
  IntColumn min_us =
      Int("min (us)", "", "shortest; its total once there are more than num_kernels names");
  RealColumn stddev = Real("stddev", "us",
                           "standard deviation (n - 1), 0 for one; of totals once there are more "
                           "than num_kernels names");
  RealColumn mean_us =
      Real("mean (us)", "", "mean; its total once there are more than num_kernels names");
};

// Adds a row of a total and `more`.
template <std::derived_from<NameTotals> T, std::convertible_to<CellOf<T>>... More>
void AddTotal(TableOf<T>& table, const T& columns, const NameTotal& total, const More&... more) {
  table.Add({columns.name = total.name, columns.sum_us = total.sum, columns.max_us = total.max,
             columns.min_us = total.min, columns.stddev = total.std, columns.mean_us = total.mean,
             more...});
}

}  // namespace rankscope::hta

namespace rankscope {
extern template const hta::NameSumPartial& SchemaOf<hta::NameSumPartial>();
}  // namespace rankscope
