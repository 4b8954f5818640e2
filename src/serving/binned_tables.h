// Tables whose size follows neither requests nor iterations: what pictures draw of many.
#pragma once

#include <cstdint>

#include "serving/causes/analysis.h"
#include "table/table.h"

namespace rankscope::serving {

// schemas/serving.h. `origin` is that of the tables, since 1970.
Table OverTimeTable(const Analysis& analysis, std::int64_t origin);
Table BatchSizesTable(const Analysis& analysis);

}  // namespace rankscope::serving
