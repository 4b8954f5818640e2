// The columns of DataFrame.describe(), in its order, for tables that have one row of statistics per
// item and rank.
//
//   struct QueueLengthSummaryRows : Schema<QueueLengthSummaryRows, DescribedRows> {
//     IntColumn stream = Int("stream", "", "stream of the device");
//     DescriptionColumns lengths = Described("changes of the queue");
//   };
//   const auto& columns = SchemaOf<QueueLengthSummaryRows>();
//   AddDescribed(table, columns.lengths, Describe(lengths), columns.stream = 7);
#pragma once

#include <concepts>
#include <string>

#include "hta/ranks.h"
#include "hta/stats.h"

namespace rankscope::hta {

struct DescribedRows;

struct DescriptionColumns {
  ColumnHandle<DescribedRows, std::int64_t> count;
  ColumnHandle<DescribedRows, double> mean, std, min, q25, q50, q75, max;
};

struct DescribedRows : Schema<DescribedRows, RowsOfRanks> {
 protected:
  DescriptionColumns Described(const std::string& of_what) {
    return {.count = Int("count", "", "how many " + of_what),
            .mean = Real("mean", "", "their mean"),
            .std = Real("std", "", "their standard deviation (n - 1); null below two"),
            .min = Real("min", "", "the smallest"),
            .q25 = Real("25%", "", "first quartile, by linear interpolation"),
            .q50 = Real("50%", "", "median"),
            .q75 = Real("75%", "", "third quartile"),
            .max = Real("max", "", "the largest")};
  }
};

// Adds a row of `keys` and a description.
template <std::derived_from<DescribedRows> T, std::convertible_to<CellOf<T>>... Keys>
void AddDescribed(TableOf<T>& table, const DescriptionColumns& columns,
                  const Description& description, const Keys&... keys) {
  table.Add({keys..., columns.count = description.count, columns.mean = description.mean,
             columns.std = description.std, columns.min = description.min,
             columns.q25 = description.q25, columns.q50 = description.q50,
             columns.q75 = description.q75, columns.max = description.max});
}

}  // namespace rankscope::hta
