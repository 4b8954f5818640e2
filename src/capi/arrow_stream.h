// Exports a table as an ArrowArrayStream with one batch.
#pragma once

#include <memory>

#include "capi/arrow_columns.h"
#include "capi/arrow_schema.h"
#include "capi/rankscope.h"

namespace rankscope::capi {

// The stream holds `columns` until it is released; arrays from it live independently. A table
// without rows gives one batch without rows; a table without columns gives no batch. An exception
// leaves no output. Not thread-safe, as the interface specifies.
ArrowArrayStream ExportStream(std::shared_ptr<const ArrowColumns> columns, TextForm form);

}  // namespace rankscope::capi
