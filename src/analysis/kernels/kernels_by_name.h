// kernels_by_name: device work by name, over all ranks.
#pragma once

#include "stage/analysis.h"
#include "table/schema.h"

namespace rankscope {

// The partial: the device work of a rank by name.
struct KernelNamePartial : Schema<KernelNamePartial> {
  StringColumn name = Text("name");
  StringColumn class_ = Text("class");
  StringColumn work = Text("work", "compute, communication or copy");
  IntColumn count = Int("count");
  IntColumn total_ns = Int("total_ns", "ns");
  IntColumn min_ns = Int("min_ns", "ns");
  IntColumn max_ns = Int("max_ns", "ns");
  IntColumn bytes = Int("bytes", "bytes", "null where none is stated");
  IntColumn squares_high = Int("squares_high", "", "upper 64 bits of the sum of squared durations");
  IntColumn squares_low = Int("squares_low", "", "its lower 64 bits");
  IntColumn outliers = Int("outliers");
  StringColumn sketch = Text("sketch", "DurationSketch of the durations");
};
extern template const KernelNamePartial& SchemaOf<KernelNamePartial>();
// Its second table: the same by complete step. Names are most of a partial's bytes, so these refer
// to rows of the first.
struct KernelStepPartial : Schema<KernelStepPartial> {
  IntColumn step = Int("step");
  IntColumn name_row = Int("name_row", "", "row of KernelNamePartial");
  IntColumn count = Int("count");
  IntColumn total_ns = Int("total_ns", "ns");
};
extern template const KernelStepPartial& SchemaOf<KernelStepPartial>();
// Its third table, for kernel_sketches: names whose launching op has a cost, by that cost, and the
// rest of such a name. Other names have no rows here.
struct KernelSizePartial : Schema<KernelSizePartial> {
  IntColumn name_row = Int("name_row", "", "row of KernelNamePartial");
  StringColumn size = Text("size", "SizeText of the cost; empty of what is left");
  IntColumn count = Int("count");
  IntColumn total_ns = Int("total_ns", "ns");
  IntColumn min_ns = Int("min_ns", "ns");
  IntColumn max_ns = Int("max_ns", "ns");
  StringColumn sketch = Text("sketch", "DurationSketch of the durations");
};
extern template const KernelSizePartial& SchemaOf<KernelSizePartial>();

const Analysis& KernelsByNameAnalysis();

}  // namespace rankscope
