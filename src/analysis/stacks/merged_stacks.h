// Call stacks of ranks as partials: a WeightedTree as tables and back, merged.
#pragma once

#include <vector>

#include "analysis/stacks/weighted_tree.h"
#include "stage/analysis.h"
#include "table/schema.h"

namespace rankscope {

// What call stacks consist of: Python functions, annotations, ops and calls of the device API.
bool IsStackFrame(EventKind kind);

// The names of a tree once, and its frames with numbers of them.
struct FrameNamePartial : Schema<FrameNamePartial> {
  StringColumn name = Text("name");
};
extern template const FrameNamePartial& SchemaOf<FrameNamePartial>();
struct FramePartial : Schema<FramePartial> {
  IntColumn parent = Int("parent", "", "row of the frame around it, which comes before; or null");
  IntColumn name = Int("name", "", "row of FrameNamePartial");
  IntColumn kind = Int("kind", "", "a FrameKind");
  IntColumn count = Int("count");
  IntColumn host_self_ns = Int("host_self_ns", "ns");
  IntColumn device_self_ns = Int("device_self_ns", "ns");
};
extern template const FramePartial& SchemaOf<FramePartial>();
std::vector<std::vector<ColumnSpec>> TreeColumns();
std::vector<Table> TablesOfTree(const WeightedTree& tree);
// Adds such tables to `tree`, inside its frame `root`. Fails when they are none; `owner`: the
// analysis that they are of.
Status MergeTables(const std::vector<Table>& tables, std::uint32_t root, std::string_view owner,
                   WeightedTree& tree);

}  // namespace rankscope
