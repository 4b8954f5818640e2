// A FleetSql over rows in memory; it answers the two statements of ReadSeries.
#pragma once

#include <string>
#include <vector>

#include "fleet/questions/fleet_sql.h"
#include "fleet/questions/run_series.h"
#include "fleet/rows/run_rows.h"

namespace rankscope::fleet {

class RowsSql : public FleetSql {
 public:
  void Add(const FleetRows& rows) {
    for (std::size_t row = 0; row < rows.runs.row_count(); ++row) AddRunRow(rows.runs, row);
    for (std::size_t row = 0; row < rows.kernels.row_count(); ++row) AddKernel(rows.kernels, row);
  }

  Result<Table> Run(const std::string& /*sql*/) override {
    return Error(StatusCode::kInternal, "no such statement");
  }
  Status Stream(const std::string& sql, const std::function<Status(const Table&)>& take) override {
    if (sql.find("FROM fleet_run") == std::string::npos) return take(kernels_);
    runs_.SortBy({{.column = 2}, {.column = 0}});
    return take(runs_);
  }

 private:
  using Type = ColumnType;
  static std::vector<ColumnSpec> Columns(const std::vector<Type>& types) {
    std::vector<ColumnSpec> columns;
    for (const Type type : types) {
      std::string name = "c";
      name += std::to_string(columns.size());
      columns.push_back({.name = name, .type = type});
    }
    return columns;
  }
  static std::vector<Type> RunTypes() {
    std::vector<Type> types(9 + kCauses.size(), Type::kString);
    types[2] = types[7] = types[8] = Type::kInt64;
    return types;
  }
  static std::vector<Type> KernelTypes() {
    std::vector<Type> types(11, Type::kString);
    for (const std::size_t i : {7, 8, 9, 10}) types[i] = Type::kInt64;
    return types;
  }

  void AddRunRow(const TableOf<FleetRun>& from, std::size_t row) {
    const auto& of = SchemaOf<FleetRun>();
    const auto text = [&](auto column) { return Value(from.TextOrEmpty(row, column)); };
    runs_.AddRow({from.At(row, of.run_id),
                  text(of.day),
                  from.At(row, of.start_ns),
                  text(of.job),
                  text(of.host),
                  text(of.model),
                  text(of.device_model),
                  from.At(row, of.steps),
                  from.At(row, of.ranks),
                  text(of.driver),
                  text(of.cuda),
                  text(of.framework),
                  text(of.image),
                  text(of.commit),
                  text(of.host),
                  text(of.rack),
                  text(of.cluster),
                  text(of.model),
                  text(of.team),
                  text(of.user)});
  }
  void AddKernel(const TableOf<KernelRun>& from, std::size_t row) {
    const auto& of = SchemaOf<KernelRun>();
    if (from.String(row, of.work) != "compute") return;
    const auto text = [&](auto column) { return Value(from.TextOrEmpty(row, column)); };
    kernels_.AddRow({from.At(row, of.run_id), text(of.kernel_key), text(of.kernel_class),
                     text(of.device_model), text(of.shape_bucket), text(of.dtype), text(of.model),
                     from.At(row, of.p50_ns), from.At(row, of.total_ns), from.At(row, of.launches),
                     from.At(row, of.fleet_ms)});
  }

  Table runs_{"runs", Columns(RunTypes())};
  Table kernels_{"kernels", Columns(KernelTypes())};
};

}  // namespace rankscope::fleet
