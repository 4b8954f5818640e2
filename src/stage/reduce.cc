#include "stage/reduce.h"

#include <algorithm>
#include <utility>

#include "base/saturating.h"

namespace rankscope {
namespace {

class JoinedRanks : public Reducer {
 public:
  JoinedRanks(const RankRows& schema, std::string_view name, AnyColumn last_sorted,
              std::vector<IntColumn> time_points)
      : schema_(schema),
        name_(name),
        last_sorted_(last_sorted),
        time_points_(std::move(time_points)) {}

  Status Add(const Capture& capture, std::vector<Table> tables) override {
    rows_.Keep(capture, std::move(tables.front()));
    return OkStatus();
  }
  void Merge(Reducer& other) override {
    rows_.Merge(std::move(static_cast<JoinedRanks&>(other).rows_));
  }
  Result<Table> Finish(const JobContext& job) override {
    return JoinedRows(schema_, name_, rows_, job, last_sorted_, time_points_);
  }

 private:
  const RankRows& schema_;
  std::string_view name_;
  AnyColumn last_sorted_;
  std::vector<IntColumn> time_points_;
  PerCapture<Table> rows_;
};

class RowsOfRanks : public Reducer {
 public:
  RowsOfRanks(const Analysis& analysis, std::size_t sort_columns,
              std::vector<std::string_view> time_points)
      : analysis_(analysis), sort_columns_(sort_columns), time_points_(std::move(time_points)) {}

  Status Add(const Capture& capture, std::vector<Table> tables) override {
    rows_.Keep(capture, std::move(tables.front()));
    return OkStatus();
  }
  void Merge(Reducer& other) override {
    rows_.Merge(std::move(static_cast<RowsOfRanks&>(other).rows_));
  }
  Result<Table> Finish(const JobContext& job) override {
    return JoinedRows(analysis_, rows_, job, sort_columns_, time_points_);
  }

 private:
  const Analysis& analysis_;
  std::size_t sort_columns_;
  std::vector<std::string_view> time_points_;
  PerCapture<Table> rows_;
};

}  // namespace

std::function<std::unique_ptr<Reducer>(const Options&)> JoinRows(
    const RankRows& schema, std::string_view name, AnyColumn last_sorted,
    std::vector<IntColumn> time_points) {
  return [&schema, name, last_sorted, time_points = std::move(time_points)](const Options&) {
    return std::make_unique<JoinedRanks>(schema, name, last_sorted, time_points);
  };
}

Table JoinedRows(const RankRows& schema, std::string_view name, PerCapture<Table>& rows,
                 const JobContext& job, AnyColumn last_sorted,
                 const std::vector<IntColumn>& time_points) {
  Table joined = schema.NewTable(std::string(name));
  for (auto& [of, table] : rows.values()) {
    table.Fill(schema.rank, of.first);
    table.Fill(schema.capture, of.second);
    joined.Append(std::exchange(table, Table()));
  }
  for (const IntColumn time_point : time_points) joined.Subtract(time_point, job.origin_ns);
  std::vector<Table::SortKey> keys;
  for (std::size_t column = 0; column <= last_sorted.index; ++column) keys.push_back({column});
  joined.SortBy(keys);
  return joined;
}

std::function<std::unique_ptr<Reducer>(const Options&)> JoinRows(
    const Analysis& (*analysis)(), std::size_t sort_columns,
    std::vector<std::string_view> time_points) {
  return [analysis, sort_columns, time_points = std::move(time_points)](const Options&) {
    return std::make_unique<RowsOfRanks>(analysis(), sort_columns, time_points);
  };
}

Table JoinedRows(const Analysis& analysis, PerCapture<Table>& rows, const JobContext& job,
                 std::size_t sort_columns, const std::vector<std::string_view>& time_points) {
  Table joined(analysis.name, analysis.columns);
  std::vector<bool> is_point;
  for (const ColumnSpec& column : analysis.columns) {
    is_point.push_back(std::find(time_points.begin(), time_points.end(), column.name) !=
                       time_points.end());
  }
  std::vector<Value> values;
  for (auto& [of, table] : rows.values()) {
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      values.assign({of.first, of.second});
      for (std::size_t column = 0; column < table.column_count(); ++column) {
        Value value = table.At(row, column);
        if (is_point[column + 2] && std::holds_alternative<std::int64_t>(value))
          value = SaturatingSubtract(std::get<std::int64_t>(value), job.origin_ns);
        values.push_back(value);
      }
      joined.AddRow(values);
    }
    table = Table();
  }
  std::vector<Table::SortKey> keys;
  for (std::size_t column = 0; column < sort_columns; ++column) keys.push_back({column, false});
  joined.SortBy(keys);
  return joined;
}

}  // namespace rankscope
