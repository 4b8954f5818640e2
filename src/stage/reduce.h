// Common steps of reducers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/rank_rows.h"
#include "stage/analysis.h"
#include "stage/reducer.h"

namespace rankscope {

// Describes a table of the ranks' own rows: its schema, which begins like RankRows; the columns by
// which the rows are sorted (the first ones, up to `last_sorted`); and its points in time.
struct JoinedColumns {
  const RankRows& schema;
  std::string_view name;
  std::size_t last_sorted = 0;
  std::vector<std::size_t> time_points;
};

template <typename T>
JoinedColumns JoinedColumnsOf(AnyColumnOf<T> last_sorted,
                              std::initializer_list<ColumnHandle<T, std::int64_t>> time_points) {
  JoinedColumns columns{SchemaOf<T>(), T::kName, last_sorted.index, {}};
  for (const auto time_point : time_points) columns.time_points.push_back(time_point.index());
  return columns;
}

// The reducer of an analysis whose table is the ranks' own rows: fills rank and capture into the
// rows of the first table of every partial, makes the times of `time_points` relative to the job's
// origin, and sorts:
//
//   .reducer = JoinRows<Copies>(SchemaOf<Copies>().memory)
std::function<std::unique_ptr<Reducer>(const Options&)> JoinRows(JoinedColumns columns);

template <typename T>
std::function<std::unique_ptr<Reducer>(const Options&)> JoinRows(
    AnyColumnOf<T> last_sorted,
    std::initializer_list<ColumnHandle<T, std::int64_t>> time_points = {}) {
  return JoinRows(JoinedColumnsOf<T>(last_sorted, time_points));
}

// The same for given tables, which are consumed.
Table JoinedRows(const JoinedColumns& columns, PerCapture<Table>& rows, const JobContext& job);

template <typename T>
TableOf<T> JoinedRows(PerCapture<Table>& rows, const JobContext& job, AnyColumnOf<T> last_sorted,
                      std::initializer_list<ColumnHandle<T, std::int64_t>> time_points) {
  return TableOf<T>(JoinedRows(JoinedColumnsOf<T>(last_sorted, time_points), rows, job));
}

}  // namespace rankscope
