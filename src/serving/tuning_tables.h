// Tables of runs of `rankscope tune` and of their trials.
#pragma once

#include <span>

#include "serving/base/data.h"
#include "table/table.h"

namespace rankscope::serving {

Table TuningsTable(std::span<const Tuning> tunings);
Table TrialsTable(std::span<const Tuning> tunings);

}  // namespace rankscope::serving
