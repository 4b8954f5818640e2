// The list of the tables of `rankscope post-training` (schemas/post_training.h), and the code that
// makes them.
#pragma once

#include <span>
#include <vector>

#include "contract/table_entry.h"
#include "post_training/study.h"
#include "table/table.h"

namespace rankscope::post_training {

std::span<const TableEntry> PostTrainingTableList();

// One table each, in the order of the list.
std::vector<Table> MakeTables(const Study& study);

}  // namespace rankscope::post_training
