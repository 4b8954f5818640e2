// Makes a Table readable in SQL.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "sql/session.h"
#include "table/table.h"

namespace rankscope::sql {

// Registers the table function `name` over the table that `find` returns. `find` is called on any
// thread when a query reads it. Its table must have columns of the types of `columns`, and live as
// long as the session. Names of columns may differ from the table's, but must be distinct.
Status RegisterTable(Session& session, const std::string& name, std::vector<ColumnSpec> columns,
                     std::function<Result<const Table*>()> find);

}  // namespace rankscope::sql
