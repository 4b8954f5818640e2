// Steps that most reduces share.
#pragma once

#include <functional>

#include "stage/analysis.h"
#include "stage/reducer.h"

namespace rankscope {

// The reducer of an analysis whose table is the ranks' own rows behind (rank, capture), by the
// analysis's function: `.reducer = JoinRows(MyAnalysis, 4)`. Copies the rows of the first table of
// every partial, makes the columns named in `time_points` relative to the job's origin, and sorts
// by the first `sort_columns` columns.
std::function<std::unique_ptr<Reducer>(const Options&)> JoinRows(
    const Analysis& (*analysis)(), std::size_t sort_columns,
    std::vector<std::string_view> time_points = {});

// The same of tables at hand, which are used up.
Table JoinedRows(const Analysis& analysis, PerCapture<Table>& rows, const JobContext& job,
                 std::size_t sort_columns, const std::vector<std::string_view>& time_points);

}  // namespace rankscope
