#include "sql/parquet.h"

#include <vector>

#include "base/file.h"
#include "sql/parquet_copy.h"
#include "sql/session.h"
#include "sql/table_scan.h"
#include "table/column_names.h"

namespace rankscope::sql {
namespace {

// The table's columns under names that DuckDB can tell apart.
std::vector<ColumnSpec> UniqueColumns(const Table& table) {
  std::vector<ColumnSpec> columns = table.columns();
  const std::vector<std::string> names = UniqueNames(columns);
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].name = names[i];
  return columns;
}

}  // namespace

ParquetWriter::ParquetWriter() = default;
ParquetWriter::~ParquetWriter() = default;

Status WriteParquet(const Table& table, const std::string& path) {
  return ParquetWriter().Write(table, path);
}

Status ParquetWriter::Write(const Table& table, const std::string& path) {
  if (table.column_count() == 0) {
    return Error(StatusCode::kInvalidArgument,
                 "{}: a table without columns cannot be a Parquet file", path);
  }
  const std::vector<ColumnSpec> columns = UniqueColumns(table);
  if (session_ == nullptr) {
    RS_ASSIGN_OR_RETURN(session_, Session::Open({}));
  }
  // A function is registered once: each table has one of its own, never called again.
  const std::string scan = fmt::format("scan_table_{}", written_++);
  RS_RETURN_IF_ERROR(RegisterTable(*session_, scan, columns,
                                   [&table]() -> Result<const Table*> { return &table; }));
  RS_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(path));
  // DuckDB writes into the file that AtomicFile made and will rename.
  RS_RETURN_IF_ERROR(session_->ExecuteAll(CopyToParquet(
      fmt::format("SELECT * FROM {}()", scan), file->temporary_path(), table.name(), columns)));
  return file->Commit();
}

}  // namespace rankscope::sql
