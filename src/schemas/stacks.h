// The tables of call stacks that other code reads.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct FlameGraph : Schema<FlameGraph> {
  static constexpr std::string_view kName = "flame_graph";

  IntColumn frame =
      Int("frame", "", "number of the row: 0 is (all), which holds every other frame");
  IntColumn parent = Int("parent", "", "the frame around it; null for (all)");
  IntColumn level = Int("level", "", "how many frames are around it");
  StringColumn name = Text("name",
                           "name of the frame; (no stack): device work whose launching call is not "
                           "recorded; (others): smaller frames inside the one around, folded");
  StringColumn kind = Text("kind",
                           "python, module, op, annotation, call (of the device API), kernel, "
                           "communication, copy; null for (all), (no stack) and (others)");
  IntColumn count =
      Int("count", "",
          "calls of it with this very stack; of device work: how often it ran; null for (all)");
  IntColumn host_total_ns =
      Int("host_total_ns", "ns", "time of host threads in it and in frames inside");
  IntColumn host_self_ns = Int("host_self_ns", "ns", "the same without frames inside");
  IntColumn device_total_ns =
      Int("device_total_ns", "ns",
          "device work launched in it and in frames inside: sum of its durations");
  IntColumn device_self_ns =
      Int("device_self_ns", "ns", "durations of device work that is this very frame");
};
extern template const FlameGraph& SchemaOf<FlameGraph>();

}  // namespace rankscope
