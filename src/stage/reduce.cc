#include "stage/reduce.h"

#include <string>
#include <utility>

namespace rankscope {
namespace {

class JoinedRanks : public Reducer {
 public:
  explicit JoinedRanks(const JoinedColumns& columns) : columns_(columns) {}

  Status Add(const Capture& capture, std::vector<Table> tables) override {
    rows_.Keep(capture, std::move(tables.front()));
    return OkStatus();
  }
  void Merge(Reducer& other) override {
    rows_.Merge(std::move(static_cast<JoinedRanks&>(other).rows_));
  }
  Result<Table> Finish(const JobContext& job) override { return JoinedRows(columns_, rows_, job); }

 private:
  JoinedColumns columns_;
  PerCapture<Table> rows_;
};

}  // namespace

std::function<std::unique_ptr<Reducer>(const Options&)> JoinRows(JoinedColumns columns) {
  return [columns = std::move(columns)](const Options&) {
    return std::make_unique<JoinedRanks>(columns);
  };
}

Table JoinedRows(const JoinedColumns& columns, PerCapture<Table>& rows, const JobContext& job) {
  auto joined = columns.schema.NewTable(std::string(columns.name));
  for (auto& [of, kept] : rows.values()) {
    TableOf<RankRows> table(std::exchange(kept, Table()));
    table.Fill(columns.schema.rank, of.first);
    table.Fill(columns.schema.capture, of.second);
    joined.Append(table);
  }
  Table& table = joined;
  for (const std::size_t time_point : columns.time_points)
    table.Subtract(time_point, job.origin_ns);
  std::vector<Table::SortKey> keys;
  for (std::size_t column = 0; column <= columns.last_sorted; ++column) keys.push_back({column});
  table.SortBy(keys);
  return table;
}

}  // namespace rankscope
