// FleetSql: SQL access to the rows of all runs. The statements use only what DuckDB and ClickHouse
// answer alike: no `//`, no lag, no quantile, no length of text, every sum and null cast to its
// type; times are integers in nanoseconds, days are texts YYYY-MM-DD. ClickHouse needs
// union_default_mode='DISTINCT', join_use_nulls=1, aggregate_functions_null_for_empty=1,
// prefer_column_name_to_alias=1, group_by_use_nulls=1 and cast_keep_nullable=1 with every
// statement.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "table/table.h"

namespace rankscope::fleet {

class FleetSql {
 public:
  virtual ~FleetSql() = default;
  virtual Result<Table> Run(const std::string& sql) = 0;
  // Delivers the rows in parts: memory does not grow with their number. Calls `take` at least once.
  virtual Status Stream(const std::string& sql,
                        const std::function<Status(const Table&)>& take) = 0;
};

// A text in single quotes.
std::string Quoted(std::string_view text);

}  // namespace rankscope::fleet
