// Steps that most reduces share.
#pragma once

#include <functional>

#include "analysis/analysis.h"

namespace rankscope {

// Calls visit(capture, table, row) for every row of the first table of every partial.
Status ForEachRow(PartialStream& partials, const JobContext& job,
                  const std::function<void(const Capture&, const Table&, std::size_t)>& visit);

// The reduce of an analysis whose table is the ranks' own rows behind (rank, capture): copies the
// rows, makes columns whose unit is "ns" and whose name is in `time_points` relative to the job's
// origin, and sorts by the first `sort_columns` columns.
Result<Table> JoinRanks(const Analysis& analysis, PartialStream& partials, const JobContext& job,
                        const std::vector<std::string_view>& time_points, std::size_t sort_columns);

// The same as the reduce of an analysis, by its function: `.reduce = JoinedRanks(MyAnalysis, 4)`.
std::function<Result<Table>(PartialStream&, const JobContext&, const Options&)> JoinedRanks(
    const Analysis& (*analysis)(), std::size_t sort_columns,
    std::vector<std::string_view> time_points = {});

}  // namespace rankscope
