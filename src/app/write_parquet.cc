#include "app/write_parquet.h"

#include "sql/parquet.h"

namespace rankscope::app {

Status WriteParquet(const Table& table, const std::string& path) {
  return sql::WriteParquet(table, path);
}

}  // namespace rankscope::app
