// Exports the rows of a table as an ArrowArray: a struct of its columns.
#pragma once

#include <memory>

#include "base/status.h"
#include "capi/arrow_columns.h"
#include "capi/arrow_schema.h"
#include "capi/rankscope.h"

namespace rankscope::capi {

// The array and each of its children hold `columns` until they are released, in any order and on
// any thread. Errors as in DictionaryOf; an exception leaves no output.
Result<ArrowArray> ExportArray(const std::shared_ptr<const ArrowColumns>& columns, TextForm form);

}  // namespace rankscope::capi
