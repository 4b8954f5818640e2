// The table of energy per token (schemas/serving.h).
#pragma once

#include <cstdint>

#include "serving/study.h"
#include "table/table.h"

namespace rankscope::serving {

Table EnergyTable(const Study& study, std::int64_t origin_ns);

}  // namespace rankscope::serving
