#include "stage/reduce.h"

#include <string>
#include <utility>

namespace rankscope {
namespace {

// Rows of all ranks, in the order of rank, capture and partial.
Table Sorted(const JoinedColumns& columns, Table table, const JobContext& job) {
  for (const std::size_t time_point : columns.time_points)
    table.Subtract(time_point, job.origin_ns);
  std::vector<Table::SortKey> keys;
  for (std::size_t column = 0; column <= columns.last_sorted; ++column) keys.push_back({column});
  table.SortBy(keys);
  return table;
}

// Rows become rows of one table as they come: a table of each capture, with columns of its own,
// takes many times what a few rows do.
class JoinedRanks : public Reducer {
 public:
  explicit JoinedRanks(const JoinedColumns& columns)
      : columns_(columns), rows_(columns.schema.NewTable(std::string(columns.name))) {}

  Status Add(const Capture& capture, std::vector<Table> tables) override {
    TableOf<RankRows> rows(std::move(tables.front()));
    rows.Fill(columns_.schema.rank, capture.rank);
    rows.Fill(columns_.schema.capture, capture.index);
    rows_.Append(rows);
    return OkStatus();
  }
  void Merge(Reducer& other) override {
    rows_.Append(std::exchange(static_cast<JoinedRanks&>(other).rows_, {}));
  }
  Result<Table> Finish(const JobContext& job) override {
    // Sorting is stable: what is equal by the other columns stays in this order.
    rows_.SortBy({{columns_.schema.rank}, {columns_.schema.capture}});
    return Sorted(columns_, std::move(rows_), job);
  }

 private:
  JoinedColumns columns_;
  TableOf<RankRows> rows_;
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
  return Sorted(columns, std::move(joined), job);
}

}  // namespace rankscope
