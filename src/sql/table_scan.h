// A Table as something that SQL can read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "sql/session.h"
#include "table/table.h"

namespace rankscope::sql {

// Registers the table function `name` over the table that `find` gives. `find` is called when a
// query reads it, on any thread; the table has columns of the types of `columns`, which may be
// named otherwise but not twice alike, and lives as long as the session.
Status RegisterTable(Session& session, const std::string& name, std::vector<ColumnSpec> columns,
                     std::function<Result<const Table*>()> find);

}  // namespace rankscope::sql
