// The list of the tables of `rankscope serving` (schemas/serving.h), and the code that makes them.
#pragma once

#include <span>
#include <vector>

#include "contract/table_entry.h"
#include "serving/study.h"
#include "table/table.h"

namespace rankscope::serving {

std::span<const TableEntry> ServingTableList();

// One of each, in the order of the list. Goodput has rows if an objective is given. With several
// levels of load, findings, stages, tail, Little's law and batches are of the most telling one.
std::vector<Table> MakeTables(const Study& study);

}  // namespace rankscope::serving
