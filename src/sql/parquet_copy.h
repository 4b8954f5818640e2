// The statement that writes rows to a Parquet file, with the metadata described in parquet.h.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "table/table.h"

namespace rankscope::sql {

// `select` must have these columns, with distinct names; `table` is the table name in the file. The
// file is overwritten in place.
std::string CopyToParquet(std::string_view select, std::string_view path, std::string_view table,
                          std::span<const ColumnSpec> columns);

}  // namespace rankscope::sql
