// The statement that writes rows to a Parquet file, with what parquet.h says of its metadata.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "table/table.h"

namespace rankscope::sql {

// `select` has these columns, no two of one name; `table` is what the file calls itself. The file
// is overwritten as it is written.
std::string CopyToParquet(std::string_view select, std::string_view path, std::string_view table,
                          std::span<const ColumnSpec> columns);

}  // namespace rankscope::sql
