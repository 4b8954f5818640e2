// The tables of host activity.
#pragma once

#include <array>
#include <string_view>

#include "schemas/rank_rows.h"
#include "schemas/words.h"

namespace rankscope {

struct HostBreakdown : Schema<HostBreakdown, RankRows> {
  static constexpr std::string_view kName = "host_breakdown";

  IntColumn process = Int("process", "", "process id; null when the trace has none");
  IntColumn thread = Int("thread", "", "thread id");
  IntColumn step = Int(column::StepOfHost());
  IntColumn duration_ns = Int("duration_ns", "ns",
                              "length of the window; the columns up to other_ns sum to it exactly");
  IntColumn data_ns = Int("data_ns", "ns", "inside a data-loading range");
  IntColumn blocked_ns = Int("blocked_ns", "ns", "inside a call that waits for the device");
  IntColumn runtime_ns =
      Int("runtime_ns", "ns", "inside another call of the device's API, launches above all");
  IntColumn op_ns = Int("op_ns", "ns", "inside an op, outside of the above");
  IntColumn annotated_ns =
      Int("annotated_ns", "ns",
          "inside a user annotation other than the step's mark, outside of the above");
  IntColumn python_ns =
      Int("python_ns", "ns", "inside a recorded Python frame, outside of the above");
  IntColumn other_ns = Int("other_ns", "ns", "inside nothing that was recorded");
  IntColumn busy_ns =
      Int("busy_ns", "ns",
          "duration_ns less other_ns and blocked_ns: the thread works; not part of the sum");
  FlagColumn complete = Flag(column::Complete());

  // In the order of kHostParts.
  std::array<IntColumn, kHostParts.size()> PartColumns() const {
    return {data_ns, blocked_ns, runtime_ns, op_ns, annotated_ns, python_ns, other_ns};
  }
};
extern template const HostBreakdown& SchemaOf<HostBreakdown>();

struct Annotations : Schema<Annotations, RankRows> {
  static constexpr std::string_view kName = "annotations";

  IntColumn step = Int(column::StepOfHost());
  StringColumn side = Text(
      "side", "host: as the program marked it; device: projected on the stream by the profiler");
  StringColumn name = Text("name", "name of the annotation; (others) = beyond the option names");
  IntColumn count = Int("count", "", "annotations that begin in the window");
  IntColumn total_ns = Int("total_ns", "ns", "sum of their durations; nested ones count twice");
  IntColumn self_ns =
      Int("self_ns", "ns", "total_ns less the time of annotations directly inside them");
  RealColumn mean_ns = Real("mean_ns", "ns", "total_ns / count");
  IntColumn min_ns = Int("min_ns", "ns", "shortest");
  IntColumn max_ns = Int("max_ns", "ns", "longest");
  IntColumn works = Int("works", "", "kernels, copies and memsets that belong to them");
  IntColumn device_ns = Int("device_ns", "ns", "united time of these, per device");
  FlagColumn complete = Flag(column::Complete());
};
extern template const Annotations& SchemaOf<Annotations>();

}  // namespace rankscope
