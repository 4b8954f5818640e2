#include "stage/reduce.h"

#include <utility>

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

}  // namespace rankscope
