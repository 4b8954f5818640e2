// hta.correlate_execution_trace.
#include <algorithm>

#include "hta/analyses.h"
#include "hta/options.h"
#include "hta/ranks.h"

namespace rankscope::hta {
namespace {

struct CorrelatedRows : Schema<CorrelatedRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.correlate_execution_trace";

  IntColumn index = Int("index", "", "event in the file");
  IntColumn external_id = Int("external_id", "", "of the event");
  IntColumn node = Int("et_node", "", "id of the execution trace's node");
  StringColumn name = Text("et_node_name", "its name");
  StringColumn schema = Text("op_schema", "of the op, as the node has it; empty without one");
  StringColumn shapes = Text("input_shapes", "of its inputs, as text");
};

void MakeExecutionTrace(const Frame& frame, const Options&, TableOf<CorrelatedRows>& table) {
  const RankTrace& trace = *frame.trace;
  const auto& columns = SchemaOf<CorrelatedRows>();
  for (const Event& event : frame.events) {
    const auto node = std::lower_bound(trace.nodes.begin(), trace.nodes.end(), event.row,
                                       [](const NodeOfRow& one, Row row) { return one.row < row; });
    if (node == trace.nodes.end() || node->row != event.row) continue;
    const std::string_view shapes =
        trace.aux[event.row] == kNoAux
            ? std::string_view("[]")
            : trace.strings.Get(trace.ops[trace.aux[event.row]].input_dims);
    table.Add({columns.index = frame.IndexOf(event),
               columns.external_id = std::int64_t{trace.external_id[event.row]},
               columns.node = node->node, columns.name = frame.NameOf(event),
               columns.schema = trace.strings.Get(node->schema), columns.shapes = shapes});
  }
}

}  // namespace

const Analysis& CorrelateExecutionTrace() {
  static const Analysis kAnalysis = JoinedOverRanks<CorrelatedRows>({
      .size = Size::kDetail,
      .summary = "HTA's correlate_execution_trace: events and their nodes in an execution trace",
      .definition =
          "Events that were joined with a node of the execution trace beside the trace "
          "(docs/formats.md). HTA also has the events without a node, and joins external ids with "
          "record ids whatever the names say.",
      .example = "rankscope table hta.correlate_execution_trace traces/",
      .options = {},
      .job_options = {Ranks()},
      .make = Filling(MakeExecutionTrace),
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
