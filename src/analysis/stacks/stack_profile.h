// stack_profile: all call stacks of all ranks as one tree, for the files of other tools that
// `rankscope trace stacks` writes. Not in the list of analyses: flame_graph is the table for
// people.
#pragma once

#include "stage/analysis.h"
#include "table/schema.h"

namespace rankscope {

// A row per frame, parents first.
struct StackProfile : Schema<StackProfile> {
  IntColumn parent = Int("parent", "", "row of the frame around it; null for none");
  StringColumn name = Text("name", "name of the frame");
  IntColumn host_ns = Int("host_ns", "ns", "time of host threads in it, without frames inside");
  IntColumn device_ns = Int("device_ns", "ns", "durations of device work that is this very frame");
};
extern template const StackProfile& SchemaOf<StackProfile>();

// Names lack addresses of objects and numbers of steps; kernels and copies are frames inside the
// call that launched them. The option by_rank=1 puts each rank's stacks inside a frame "rank N".
const Analysis& StackProfileAnalysis();

}  // namespace rankscope
