// Tables with a size independent of the number of requests and iterations, for charts of many.
#pragma once

#include <cstdint>

#include "serving/causes/analysis.h"
#include "table/table.h"

namespace rankscope::serving {

// schemas/serving.h. `origin` is that of the tables, since 1970.
Table OverTimeTable(const Analysis& analysis, std::int64_t origin);
Table BatchSizesTable(const Analysis& analysis);

}  // namespace rankscope::serving
