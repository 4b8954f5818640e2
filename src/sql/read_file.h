// Tables from foreign files: CSV, also gzipped, and Parquet.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "table/table.h"

namespace rankscope::sql {

// "x.csv", "x.csv.gz", "x.tsv", "x.parquet": whether ReadFile can read it, judged by its name.
bool IsTableFile(std::string_view path);

// The file's columns with these names, converted to these types, in this order; other columns are
// left out. A file that cannot be read, lacks a column or has a cell of another type is an error
// that names the file.
Result<Table> ReadFile(const std::string& path, const std::string& name,
                       std::span<const ColumnSpec> columns);

}  // namespace rankscope::sql
