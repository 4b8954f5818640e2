// A table as a Parquet file.
#pragma once

#include <string>

#include "base/status.h"
#include "table/table.h"

namespace rankscope::app {

Status WriteParquet(const Table& table, const std::string& path);

}  // namespace rankscope::app
