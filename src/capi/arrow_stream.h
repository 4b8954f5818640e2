// A table as an ArrowArrayStream of one batch.
#pragma once

#include <memory>

#include "capi/arrow_columns.h"
#include "capi/arrow_schema.h"
#include "capi/rankscope.h"

namespace rankscope::capi {

// The stream holds `columns` until it is released; what it gave out lives on its own. A table
// without rows is a batch without rows, one without columns no batch. Throws before anything was
// written. For one thread at a time, as the interface has it.
ArrowArrayStream ExportStream(std::shared_ptr<const ArrowColumns> columns, TextForm form);

}  // namespace rankscope::capi
