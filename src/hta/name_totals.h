// HTA's table of durations by name, and how it folds the small ones into "others".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hta/frame.h"
#include "hta/ranks.h"
#include "hta/stats.h"

namespace rankscope::hta {

struct NameTotal {
  std::string name;
  std::int64_t sum = 0;
  std::int64_t max = 0;
  std::int64_t min = 0;
  double mean = 0;
  double std = 0;
};

// Durations of events by name, for Map.
class NameSums {
 public:
  void Add(std::string_view name, std::int64_t duration);
  // Adds a row (group, name, sum, max, min, mean, std) for every name, by name.
  void AppendTo(Table& table, std::string_view group) const;
  static std::vector<ColumnSpec> Columns();

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

// The rows of one group of such a table.
std::vector<NameTotal> TotalsOf(const Table& table, std::string_view group);

struct Folding {
  std::int64_t most_names = 0;
  double quantile = 0;
  std::vector<std::string> never_others;  // names that hold one of these texts
};

// With more than most_names names: those whose cumulated sum (largest first) is beyond the quantile
// of all cumulated sums, and those after the first most_names, become "others"; and then every
// statistic is one over the sums that go under a name, so max, min and mean of a name are its
// total. By name.
std::vector<NameTotal> Fold(std::vector<NameTotal> totals, const Folding& folding);

std::vector<ColumnSpec> NameTotalColumns();
std::vector<Value> CellsOf(const NameTotal& total);

}  // namespace rankscope::hta
