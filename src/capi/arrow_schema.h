// The columns of a table as an ArrowSchema.
#pragma once

#include <cstdint>

#include "capi/arrow_columns.h"
#include "capi/rankscope.h"

namespace rankscope::capi {

// How texts are exported.
enum class TextForm : std::uint8_t { kPlain, kDictionary };

// Made completely or not at all: an exception leaves no output. The caller releases it; it does not
// need the columns.
ArrowSchema ExportSchema(const ArrowColumns& columns, TextForm form);

}  // namespace rankscope::capi
