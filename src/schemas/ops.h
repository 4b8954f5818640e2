// The tables of ops and modules that other code reads.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "schemas/rank_rows.h"
#include "table/schema.h"

namespace rankscope {

// The columns that identify an op.
struct OpNames : Schema<OpNames> {
  StringColumn name =
      Text("name",
           "name of the op; (no op): work whose launching call is not recorded or lies in "
           "no op; (others): beyond the option names");
};

struct OpInputs : Schema<OpInputs, OpNames> {
  StringColumn shapes =
      Text("shapes", "shapes of the inputs as recorded, JSON; null where none are");
  StringColumn dtypes =
      Text("dtypes", "types of the inputs as recorded, JSON; null where none are");
};
extern template const OpInputs& SchemaOf<OpInputs>();

// The cost of ops; columns after those of Names.
template <typename Names>
struct OpSums : Schema<OpSums<Names>, Names> {
  using Columns = Schema<OpSums<Names>, Names>;
  using typename Columns::IntColumn;
  using typename Columns::RealColumn;
  IntColumn ranks = this->Int("ranks", "", "ranks on which it was called");
  IntColumn count = this->Int("count", "", "calls on all ranks");
  IntColumn host_total_ns =
      this->Int("host_total_ns", "ns",
                "sum of their durations on the host; a call inside a call of the same counts "
                "with the outer one");
  IntColumn host_self_ns =
      this->Int("host_self_ns", "ns", "of that, the time in which it is the innermost op");
  RealColumn mean_ns = this->Real("mean_ns", "ns", "mean duration of a call on the host");
  IntColumn p50_ns =
      this->Int("p50_ns", "ns", "median duration of a call on the host, within 0.8%");
  IntColumn p99_ns = this->Int("p99_ns", "ns", "99th percentile, within 0.8%");
  IntColumn max_ns = this->Int("max_ns", "ns", "longest call on the host");
  IntColumn device_total_ns =
      this->Int("device_total_ns", "ns",
                "device work launched inside, also by ops inside: sum of its durations");
  IntColumn device_self_ns =
      this->Int("device_self_ns", "ns", "device work of which it is the innermost op");
  RealColumn share_pct =
      this->Real("share_pct", "%", "device_self_ns as a part of all device work");
  IntColumn kernels = this->Int("kernels", "", "kernels, copies and memsets in device_self_ns");
  IntColumn backward_ns =
      this->Int("backward_ns", "ns",
                "device work of the backward ops that autograd made for its calls, and for "
                "calls inside; it counts as device work of these ops, too");
  IntColumn slowest_rank =
      this->Int("slowest_rank", "", "the rank with the largest mean duration on the host");
  RealColumn slowest_mean_ns = this->Real("slowest_mean_ns", "ns", "that rank's mean");
};

struct OpsByName : Schema<OpsByName, OpSums<OpNames>> {
  static constexpr std::string_view kName = "ops_by_name";
};

struct OpsByShape : Schema<OpsByShape, OpSums<OpInputs>> {
  static constexpr std::string_view kName = "ops_by_shape";
};

struct ExecutionTraceOps : Schema<ExecutionTraceOps, RankRows> {
  static constexpr std::string_view kName = "execution_trace_ops";

  IntColumn ts_ns = Int("ts_ns", "ns", "begin of the call, from the job's origin");
  IntColumn event = Int("event", "", "the call, as in the view ops");
  IntColumn node = Int("node", "", "id of its node in the execution trace");
  StringColumn op = Text("op", "its name");
  StringColumn schema = Text("op_schema", "signature of the op; null where the node has none");
  StringColumn shapes = Text("shapes", "of its inputs; null when not recorded");
  StringColumn dtypes = Text("dtypes", "of its inputs; null when not recorded");
  StringColumn strides = Text("strides", "of its inputs; null when not recorded");
  StringColumn values = Text("values", "of its scalar inputs; null when not recorded");
  IntColumn step = Int(column::StepOfHost());
  IntColumn dur_ns = Int("dur_ns", "ns", "duration of the call on the host");
};
extern template const ExecutionTraceOps& SchemaOf<ExecutionTraceOps>();

struct Lines : Schema<Lines> {
  static constexpr std::string_view kName = "lines";

  StringColumn line = Text(
      "line",
      "the function and where it begins: train.py(214): step; (no function): work that none "
      "of the user's code launched, or whose launch or stack was not recorded; (others): beyond "
      "the option names");
  IntColumn ranks = Int("ranks", "", "ranks on which it was called");
  IntColumn count = Int("count", "", "calls on all ranks");
  IntColumn host_total_ns = Int(
      "host_total_ns", "ns",
      "sum of their durations on the host; a call inside a call of the same counts with the outer");
  IntColumn host_self_ns =
      Int("host_self_ns", "ns",
          "of that, the time outside of functions of the user's code that it calls: its own work "
          "and that of libraries");
  RealColumn mean_ns = Real("mean_ns", "ns", "mean duration of a call on the host");
  IntColumn max_ns = Int("max_ns", "ns", "longest call on the host");
  IntColumn device_ns =
      Int("device_ns", "ns",
          "device work of which it is the innermost function of the user's code, forward and "
          "backward: sum of its durations");
  RealColumn share_pct = Real("share_pct", "%", "device_ns as a part of all device work");
  IntColumn device_total_ns =
      Int("device_total_ns", "ns", "the same with that of the functions that it calls");
  IntColumn kernels = Int("kernels", "", "kernels, copies and memsets in device_ns");
  IntColumn slowest_rank =
      Int("slowest_rank", "", "the rank with the largest mean duration on the host");
  RealColumn slowest_mean_ns = Real("slowest_mean_ns", "ns", "that rank's mean");
};
extern template const Lines& SchemaOf<Lines>();

struct Modules : Schema<Modules> {
  static constexpr std::string_view kName = "modules";

  StringColumn path =
      Text("path",
           "the modules around it and itself, outermost first, as the profiler numbers "
           "them: Net_0/Block_3/Linear_7; (no module): work that lies in none; (others): "
           "beyond the option names");
  IntColumn level =
      Int("level", "", "0 for a module in no other; null for the rows that are no module");
  IntColumn ranks = Int("ranks", "", "ranks on which it was called");
  IntColumn count = Int("count", "", "calls on all ranks");
  IntColumn host_total_ns = Int("host_total_ns", "ns", "sum of their durations on the host");
  IntColumn host_self_ns = Int("host_self_ns", "ns", "of that, the time outside of modules inside");
  RealColumn mean_ns = Real("mean_ns", "ns", "mean duration of a call on the host");
  IntColumn p50_ns = Int("p50_ns", "ns", "median duration of a call on the host, within 0.8%");
  IntColumn p99_ns = Int("p99_ns", "ns", "99th percentile, within 0.8%");
  IntColumn max_ns = Int("max_ns", "ns", "longest call on the host");
  IntColumn device_total_ns = Int("device_total_ns", "ns", "forward_total_ns + backward_total_ns");
  RealColumn share_pct = Real("share_pct", "%", "device_total_ns as a part of all device work");
  IntColumn forward_total_ns =
      Int("forward_total_ns", "ns",
          "device work launched inside, also by modules inside: sum of its durations");
  IntColumn forward_self_ns =
      Int("forward_self_ns", "ns", "device work of which it is the innermost module");
  IntColumn backward_total_ns =
      Int("backward_total_ns", "ns",
          "device work of the backward ops of ops called inside, also in modules inside");
  IntColumn backward_self_ns = Int("backward_self_ns", "ns", "the same without modules inside");
  IntColumn kernels =
      Int("kernels", "", "kernels, copies and memsets in forward_self_ns and backward_self_ns");
  IntColumn slowest_rank =
      Int("slowest_rank", "", "the rank with the largest mean duration on the host");
  RealColumn slowest_mean_ns = Real("slowest_mean_ns", "ns", "that rank's mean");
};
extern template const Modules& SchemaOf<Modules>();

}  // namespace rankscope
