// Call stacks of ranks as partials: a WeightedTree as tables and back, merged.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "analysis/weighted_tree.h"

namespace rankscope {

// What call stacks consist of: Python functions, annotations, ops and calls of the device API.
bool IsStackFrame(EventKind kind);

// The names once, and the frames with numbers of them.
std::vector<Table> TablesOfTree(const WeightedTree& tree);
// Adds such tables to `tree`, inside its frame `root`. Fails when they are none; `owner`: the
// analysis that they are of.
Status MergeTables(const std::vector<Table>& tables, std::uint32_t root, std::string_view owner,
                   WeightedTree& tree);

}  // namespace rankscope
