// The list of the tables of `rankscope serving` (schemas/serving.h), and what makes them.
#pragma once

#include <span>
#include <vector>

#include "contract/table_entry.h"
#include "serving/causes/cause.h"
#include "serving/objective.h"
#include "table/table.h"

namespace rankscope::serving {

std::span<const TableEntry> ServingTableList();

// One of each, in the order of the list. Goodput has rows where an objective is given.
std::vector<Table> MakeTables(const Analysis& analysis, const Causes& causes,
                              const Objective& objective);

}  // namespace rankscope::serving
