// rankscope_table: columns that any number of exports can share.
#pragma once

#include <memory>

#include "base/status.h"
#include "capi/arrow_columns.h"
#include "capi/rankscope.h"
#include "table/table.h"

struct rankscope_table {
  std::shared_ptr<const rankscope::capi::ArrowColumns> columns;
};

namespace rankscope::capi {

// Transfers a table to the caller.
inline Status GiveTable(Table table, rankscope_table** out) {
  auto columns = std::make_shared<const ArrowColumns>(std::move(table));
  *out = new rankscope_table{std::move(columns)};
  return OkStatus();
}

}  // namespace rankscope::capi
