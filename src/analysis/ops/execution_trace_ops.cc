#include "analysis/ops/analyses.h"

#include "facts/windows.h"
#include "schemas/ops.h"
#include "stage/reduce.h"
#include "table/move_tables.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

std::vector<Table> MapExecutionTraceOps(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const auto& columns = SchemaOf<ExecutionTraceOps>();
  auto table = columns.NewPartial("execution_trace_ops");
  if (trace.nodes.empty()) return MoveTables(std::move(table));
  const Windows windows = Windows::OfHost(facts, options.steps);
  for (const NodeOfRow& node : trace.nodes) {
    const std::size_t window = windows.At(trace.ts_ns[node.row]);
    if (window == Windows::kNone) continue;
    const OpArgs* const args =
        trace.aux[node.row] == kNoAux ? nullptr : &trace.ops[trace.aux[node.row]];
    const auto text = [&](StringId OpArgs::*member) {
      return args == nullptr ? Value(kNull) : TextOrNull(trace.strings.Get(args->*member));
    };
    table.Add(
        {columns.ts_ns = trace.meta.base_ns + trace.ts_ns[node.row],
         columns.event = std::int64_t{trace.source[node.row]}, columns.node = node.node,
         columns.op = trace.name_of(node.row),
         columns.schema = TextOrNull(trace.strings.Get(node.schema)),
         columns.shapes = text(&OpArgs::input_dims), columns.dtypes = text(&OpArgs::input_types),
         columns.strides = text(&OpArgs::input_strides),
         columns.values = text(&OpArgs::concrete_inputs),
         columns.step = windows[window].StepValue(),
         columns.dur_ns =
             trace.dur_ns[node.row] == kNoDuration ? Value(kNull) : Value(trace.dur_ns[node.row])});
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& ExecutionTraceOpsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "execution_trace_ops",
      .size = Size::kDetail,
      .summary = "ops and their nodes in the execution trace of the same run",
      .definition =
          "Every op that was joined with a node of the execution trace (ExecutionTraceObserver) "
          "beside the Kineto trace: by record id, else by external id, else by the order of the "
          "calls; docs/formats.md says how. Shapes and what else Kineto recorded itself is "
          "Kineto's. event joins it with kernels.launch_event's parents and ops in SQL.",
      .example = "rankscope table execution_trace_ops traces/",
      .columns = SchemaOf<ExecutionTraceOps>().columns(),
      .mapper = {.name = "execution_trace_ops",
                 .version = 1,
                 .tables = {SchemaOf<ExecutionTraceOps>().BareColumns()},
                 .map = MapExecutionTraceOps},
      .reducer = JoinRows<ExecutionTraceOps>(SchemaOf<ExecutionTraceOps>().event,
                                             {SchemaOf<ExecutionTraceOps>().ts_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
