// A rank's part of the table kernel_places: its device work by kernel and place in the program, and
// the owners of kernels inside CUDA graphs.
#pragma once

#include <string_view>
#include <vector>

#include "stage/analysis.h"
#include "table/schema.h"

namespace rankscope {

// Works of one kernel from one place. Null is unknown. The cost columns identify the op of which
// they are a part, grouped as in the table roofline; null if it has no model.
struct KernelPlacePartial : Schema<KernelPlacePartial> {
  StringColumn name = Text("name");
  StringColumn class_ = Text("class");
  StringColumn work = Text("work");
  StringColumn op = Text("op", "or (others)");
  StringColumn shapes = Text("shapes");
  StringColumn module = Text("module");
  StringColumn line = Text("line");
  StringColumn phase = Text("phase");
  StringColumn group = Text("group");
  IntColumn count = Int("count");
  IntColumn total_ns = Int("total_ns", "ns");
  StringColumn cost_op = Text("cost_op");
  StringColumn cost_family = Text("cost_family");
  StringColumn cost_shapes = Text("cost_shapes");
  StringColumn cost_dtype = Text("cost_dtype");
  StringColumn device = Text("device", "its name");
  RealColumn flops = Real("flops");
  RealColumn bytes = Real("bytes", "bytes");
  FlagColumn fits = Flag("fits", "matrix cores can do it");
  FlagColumn lower_bound = Flag("lower_bound", "the cost is one");
  IntColumn runs = Int("runs", "", "of that op, counted with its first kernel");
};
extern template const KernelPlacePartial& SchemaOf<KernelPlacePartial>();

// The owners of kernels in CUDA graphs, by name.
struct GraphKernelPartial : Schema<GraphKernelPartial> {
  StringColumn name = Text("name");
  StringColumn class_ = Text("class");
  StringColumn work = Text("work");
};
extern template const GraphKernelPartial& SchemaOf<GraphKernelPartial>();

// Both, then the tables of MapGraphs. The option places limits the rows of the first.
std::vector<Table> MapKernelPlaces(const TraceFacts& facts, const MapOptions& options);
std::vector<std::vector<ColumnSpec>> KernelPlacePartials();

// The op of rows beyond the option places.
inline constexpr std::string_view kOtherPlaces = "(others)";

}  // namespace rankscope
