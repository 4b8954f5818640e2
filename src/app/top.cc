#include "app/top.h"

#include <algorithm>
#include <map>
#include <utility>

#include "schemas/kernels.h"
#include "schemas/ops.h"

namespace rankscope::app {
namespace {

struct Kind {
  std::string_view name;
  std::string_view table;
  std::vector<std::string> columns;
  std::string_view missing;  // TopList::missing
};

const std::vector<Kind>& Kinds() {
  static const std::vector<Kind> kKinds = {
      {"kernels",
       KernelPlaces::kName,
       {"name", "share_pct", "total_ns", "roofline_pct", "op", "count", "mean_ns", "shapes",
        "module", "line", "group"},
       "no device work was recorded: record with ProfilerActivity.CUDA"},
      {"ops",
       OpsByShape::kName,
       {"name", "share_pct", "device_self_ns", "roofline_pct", "host_self_ns", "count", "shapes"},
       "no ops were recorded: record with ProfilerActivity.CPU"},
      {"modules",
       Modules::kName,
       {"path", "share_pct", "device_total_ns", "forward_total_ns", "backward_total_ns",
        "host_total_ns", "count"},
       "no modules were recorded: record with with_stack=True or with_modules=True"},
      {"lines",
       Lines::kName,
       {"line", "share_pct", "device_ns", "device_total_ns", "host_self_ns", "count", "mean_ns"},
       "no Python functions were recorded: record with with_stack=True"},
  };
  return kKinds;
}

// Efficiency of ops by name and shapes: of several (types, devices) that of the dearest kernel.
std::map<std::pair<std::string, std::string>, double> EfficiencyByOp(const Table& kernels) {
  const auto& columns = SchemaOf<KernelPlaces>();
  const ViewOf<KernelPlaces> rows = kernels;
  std::map<std::pair<std::string, std::string>, double> efficiencies;
  // The table has the dearest first.
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    if (rows.IsNull(row, columns.op) || rows.IsNull(row, columns.roofline_pct)) continue;
    const std::string_view shapes =
        rows.IsNull(row, columns.shapes) ? "" : rows.String(row, columns.shapes);
    efficiencies.try_emplace({std::string(rows.String(row, columns.op)), std::string(shapes)},
                             rows.Double(row, columns.roofline_pct));
  }
  return efficiencies;
}

// ops_by_shape with the efficiency of ops that have a cost model.
Table WithEfficiency(const Table& ops, const Table& kernels) {
  const auto efficiencies = EfficiencyByOp(kernels);
  std::vector<ColumnSpec> columns = ops.columns();
  columns.push_back({.name = "roofline_pct", .type = ColumnType::kDouble, .unit = "%"});
  const auto& names = SchemaOf<OpsByShape>();
  const ViewOf<OpsByShape> rows = ops;
  Table joined(ops.name(), std::move(columns));
  for (std::size_t row = 0; row < ops.row_count(); ++row) {
    std::vector<Value> cells;
    for (std::size_t column = 0; column < ops.column_count(); ++column)
      cells.push_back(ops.At(row, column));
    const std::string shapes(rows.IsNull(row, names.shapes) ? "" : rows.String(row, names.shapes));
    const auto found = efficiencies.find({std::string(rows.String(row, names.name)), shapes});
    cells.push_back(found == efficiencies.end() ? Value(kNull) : Value(found->second));
    joined.AddRow(cells);
  }
  return joined;
}

Result<Table> RowsOfKind(const Kind& kind, OpenedJob& job) {
  if (kind.table != OpsByShape::kName) return job.Run({.table = std::string(kind.table)});
  RS_ASSIGN_OR_RETURN(const std::vector<Table> tables,
                      job.RunAll({{.table = std::string(kind.table)},
                                  {.table = std::string(KernelPlaces::kName)}}));
  return WithEfficiency(tables[0], tables[1]);
}

}  // namespace

std::vector<std::string> TopKinds() {
  std::vector<std::string> names;
  for (const Kind& kind : Kinds()) names.emplace_back(kind.name);
  return names;
}

Result<TopList> TopOf(std::string_view name, const JobSpec& spec, Listener& listener) {
  const auto kind = std::find_if(Kinds().begin(), Kinds().end(),
                                 [&](const Kind& each) { return each.name == name; });
  if (kind == Kinds().end())
    return Error(StatusCode::kInvalidArgument,
                 "there is no list of the dearest '{}': kernels, ops, modules or lines", name);
  RS_ASSIGN_OR_RETURN(const auto job,
                      OpenJob(spec, {{.table = std::string(kind->table)}}, listener));
  RS_ASSIGN_OR_RETURN(Table table, RowsOfKind(*kind, *job));
  if (table.row_count() == 0) RS_RETURN_IF_ERROR(job->CheckChosenSteps());
  job->TellLeftOut(listener);
  std::string missing(table.row_count() == 0 ? kind->missing : "");
  return TopList{std::move(table), kind->columns, std::move(missing)};
}

}  // namespace rankscope::app
