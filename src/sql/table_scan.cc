#include "sql/table_scan.h"

#include <algorithm>

#include "base/utf8.h"
#include "sql/column_writer.h"
#include "sql/table_function.h"

namespace rankscope::sql {
namespace {

struct TableInfo {
  std::string name;
  std::vector<ColumnSpec> columns;
  std::function<Result<const Table*>()> find;
  Failure& failure;
};

struct TableState {
  const Table& table;
  std::vector<idx_t> columns;
  std::size_t next_row = 0;
};

duckdb_type DuckTypeOf(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64:
      return DUCKDB_TYPE_BIGINT;
    case ColumnType::kDouble:
      return DUCKDB_TYPE_DOUBLE;
    case ColumnType::kString:
      return DUCKDB_TYPE_VARCHAR;
    case ColumnType::kBool:
      return DUCKDB_TYPE_BOOLEAN;
  }
  return DUCKDB_TYPE_INVALID;
}

// `text` with U+FFFD for what is not UTF-8; empty when nothing had to be replaced.
std::string Repaired(std::string_view text) {
  std::string repaired;
  bool broken = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text, at);
    broken = broken || !point.valid;
    repaired += point.valid ? text.substr(at, point.bytes) : kReplacementUtf8;
    at += point.bytes;
  }
  return broken ? repaired : std::string();
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void FillCell(const Table& table, std::size_t row, std::size_t column, std::size_t at,
              ColumnWriter& out) {
  switch (table.columns()[column].type) {
    case ColumnType::kInt64:
      out.cells<std::int64_t>()[at] = table.Int(row, column);
      return;
    case ColumnType::kDouble:
      out.cells<double>()[at] = table.Double(row, column);
      return;
    case ColumnType::kBool:
      out.cells<bool>()[at] = table.Bool(row, column);
      return;
    case ColumnType::kString: {
      const std::string_view text = table.String(row, column);
      const std::string repaired = IsAscii(text) ? std::string() : Repaired(text);
      if (repaired.empty()) {
        out.cells<duckdb_string_t>()[at] = ViewOf(text);
      } else {
        out.SetCopy(at, repaired);
      }
      return;
    }
  }
}

void Bind(duckdb_bind_info info) {
  const auto& of = *static_cast<const TableInfo*>(duckdb_bind_get_extra_info(info));
  for (const ColumnSpec& column : of.columns)
    AddColumn(info, column.name.c_str(), DuckTypeOf(column.type));
}

void Init(duckdb_init_info info) {
  const auto& of = *static_cast<const TableInfo*>(duckdb_init_get_extra_info(info));
  const Result<const Table*> table = of.find();
  if (!table.ok()) return Fail(info, of.failure, table.status());
  if (!std::ranges::equal(
          (*table)->columns(), of.columns,
          [](const ColumnSpec& a, const ColumnSpec& b) { return a.type == b.type; })) {
    return Fail(info, of.failure,
                Error(StatusCode::kInternal, "the columns of {} have other types than it declares",
                      of.name));
  }
  duckdb_init_set_init_data(info, new TableState{**table, ProjectedColumns(info)},
                            Delete<TableState>);
}

void InitThread(duckdb_init_info) {}

// One thread at a time: such tables are small, and their order is kept.
void Run(duckdb_function_info info, duckdb_data_chunk output) {
  auto& state = *static_cast<TableState*>(duckdb_function_get_init_data(info));
  const Table& table = state.table;
  const std::size_t count = std::min(kVectorSize, table.row_count() - state.next_row);
  for (idx_t i = 0; i < state.columns.size(); ++i) {
    const std::size_t column = state.columns[i];
    if (column >= table.column_count()) continue;
    ColumnWriter out(duckdb_data_chunk_get_vector(output, i));
    for (std::size_t at = 0; at < count; ++at) {
      const std::size_t row = state.next_row + at;
      if (table.IsNull(row, column)) {
        out.SetNull(at);
      } else {
        FillCell(table, row, column, at, out);
      }
    }
  }
  state.next_row += count;
  duckdb_data_chunk_set_size(output, count);
}

}  // namespace

Status RegisterTable(Session& session, const std::string& name, std::vector<ColumnSpec> columns,
                     std::function<Result<const Table*>()> find) {
  return RegisterTableFunction(
      session, name, {Bind, Init, InitThread, Run},
      TableInfo{name, std::move(columns), std::move(find), session.failure()});
}

}  // namespace rankscope::sql
