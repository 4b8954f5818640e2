#include "analysis/reduce.h"

#include <algorithm>
#include <utility>

namespace rankscope {

Status ForEachRow(PartialStream& partials, const JobContext& job,
                  const std::function<void(const Capture&, const Table&, std::size_t)>& visit) {
  Partial partial;
  while (true) {
    RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
    if (!more) return OkStatus();
    const Table& table = partial.tables.front();
    for (std::size_t row = 0; row < table.row_count(); ++row)
      visit(job.captures[partial.capture], table, row);
  }
}

Result<Table> JoinRanks(const Analysis& analysis, PartialStream& partials, const JobContext& job,
                        const std::vector<std::string_view>& time_points,
                        std::size_t sort_columns) {
  Table joined(analysis.name, analysis.columns);
  std::vector<bool> is_point;
  for (const ColumnSpec& column : analysis.columns) {
    is_point.push_back(std::find(time_points.begin(), time_points.end(), column.name) !=
                       time_points.end());
  }
  std::vector<Value> values;
  RS_RETURN_IF_ERROR(
      ForEachRow(partials, job, [&](const Capture& capture, const Table& table, std::size_t row) {
        values.assign({capture.rank, capture.index});
        for (std::size_t column = 0; column < table.column_count(); ++column) {
          Value value = table.At(row, column);
          if (is_point[column + 2] && std::holds_alternative<std::int64_t>(value)) {
            value = std::get<std::int64_t>(value) - job.origin_ns;
          }
          values.push_back(value);
        }
        joined.AddRow(values);
      }));
  std::vector<Table::SortKey> keys;
  for (std::size_t column = 0; column < sort_columns; ++column) keys.push_back({column, false});
  joined.SortBy(keys);
  return joined;
}

std::function<Result<Table>(PartialStream&, const JobContext&, const Options&)> JoinedRanks(
    const Analysis& (*analysis)(), std::size_t sort_columns,
    std::vector<std::string_view> time_points) {
  return [analysis, sort_columns, time_points = std::move(time_points)](
             PartialStream& partials, const JobContext& job, const Options&) {
    return JoinRanks(analysis(), partials, job, time_points, sort_columns);
  };
}

}  // namespace rankscope
