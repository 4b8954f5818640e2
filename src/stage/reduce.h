// Steps that most reduces share.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/rank_rows.h"
#include "stage/analysis.h"
#include "stage/reducer.h"

namespace rankscope {

// The reducer of an analysis whose table is the ranks' own rows, of a schema T that begins like
// RankRows: fills rank and capture into the rows of the first table of every partial, makes the
// times of `time_points` relative to the job's origin, and sorts by the columns up to
// `last_sorted`:
//
//   .reducer = JoinRows<Copies>(SchemaOf<Copies>().memory)
std::function<std::unique_ptr<Reducer>(const Options&)> JoinRows(
    const RankRows& schema, std::string_view name, AnyColumn last_sorted,
    std::vector<IntColumn> time_points);

template <typename T>
std::function<std::unique_ptr<Reducer>(const Options&)> JoinRows(
    AnyColumn last_sorted, std::vector<IntColumn> time_points = {}) {
  return JoinRows(SchemaOf<T>(), T::kName, last_sorted, std::move(time_points));
}

// The same of tables at hand, which are used up.
Table JoinedRows(const RankRows& schema, std::string_view name, PerCapture<Table>& rows,
                 const JobContext& job, AnyColumn last_sorted,
                 const std::vector<IntColumn>& time_points = {});

}  // namespace rankscope
