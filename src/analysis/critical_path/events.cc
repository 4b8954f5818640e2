// critical_path_events and slack: the path itself, and how far everything else is from it.
#include <optional>

#include "analysis/critical_path/analyses.h"
#include "facts/path_charges.h"
#include "facts/windows.h"
#include "graph/critical_path.h"
#include "stage/reduce.h"
#include "schemas/columns.h"
#include "trace/call_tree.h"

namespace rankscope {
namespace {

// Where something runs: on a stream, or on a host thread.
std::vector<ColumnSpec> PlaceColumns() {
  return {column::Int("device", "", "of a stream; null on the host"),
          column::Int("stream", "", "of the device; null on the host"),
          column::Int("thread", "", "id of the host thread; null on a device")};
}

void AppendPlace(const RankTrace& trace, std::uint32_t track, std::vector<Value>& row) {
  if (track == kNoTrack) {
    row.insert(row.end(), {kNull, kNull, kNull});
    return;
  }
  const Track& place = trace.tracks[track];
  if (place.domain == Domain::kHost) {
    row.insert(row.end(), {kNull, kNull, place.second});
  } else {
    row.insert(row.end(), {place.first, place.second, kNull});
  }
}

Value StepAt(const Windows& windows, std::int64_t t) {
  const std::size_t window = windows.At(t);
  return window == Windows::kNone ? Value(kNull) : windows[window].StepValue();
}

const std::vector<ColumnSpec>& EventColumns() {
  static const std::vector<ColumnSpec> kColumns = [] {
    std::vector<ColumnSpec> columns = {
        column::StepOfWindow(),
        column::Int("ts_ns", "ns", "begin, from the job's origin, by the rank's own clock"),
        column::Int("dur_ns", "ns", "length"),
        column::Text("cause", "as in critical_path_ops"),
        column::Text("name",
                     "of the work, of the work that a launch or gap leads to, or of the innermost "
                     "row of the thread; null where nothing is known"),
        column::Text("op", "the op that launched it, or the innermost op; null without one"),
        column::Int("event", "", "index of that row in the file's traceEvents; null without one")};
    for (ColumnSpec& place : PlaceColumns()) columns.push_back(std::move(place));
    return column::BehindRank(columns);
  }();
  return kColumns;
}

std::vector<Table> MapEvents(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  const FrameTree ops(trace, [&](Row row) { return trace.kind[row] == EventKind::kCpuOp; });
  Table table("critical_path_events", column::OfMap(EventColumns()));
  for (const Charge& charge : facts.path().charges) {
    if (windows.At(charge.begin_ns) == Windows::kNone) continue;
    const Row host = HostRowOf(trace, charge);
    const std::uint32_t op = host == kNoRow ? FrameTree::kNone : ops.at(host);
    std::vector<Value> row = {
        StepAt(windows, charge.begin_ns),
        trace.meta.base_ns + charge.begin_ns,
        charge.end_ns - charge.begin_ns,
        kCauseTexts[static_cast<std::size_t>(charge.cause)].name,
        charge.row == kNoRow ? Value(kNull) : Value(trace.name_of(charge.row)),
        op == FrameTree::kNone ? Value(kNull) : Value(trace.name_of(ops.row(op))),
        charge.row == kNoRow ? Value(kNull) : Value(std::int64_t{trace.source[charge.row]})};
    AppendPlace(trace, charge.track, row);
    table.AddRow(row);
  }
  return {table};
}

const std::vector<ColumnSpec>& SlackColumns() {
  static const std::vector<ColumnSpec> kColumns = [] {
    std::vector<ColumnSpec> columns = {
        column::StepOfWindow(),
        column::Int("ts_ns", "ns", "begin, from the job's origin, by the rank's own clock"),
        column::Int("dur_ns", "ns", "length of the segment"),
        column::Int("slack_ns", "ns",
                    "how much later it could have ended without the recording ending later; null "
                    "for work of "
                    "a side thread behind that end"),
        column::Text("name", "of its first kernel or copy; null on the host"),
        column::Int("works", "", "kernels and copies in it; 0 on the host"),
        column::Int("event", "", "index of the first in the file's traceEvents; null on the host")};
    for (ColumnSpec& place : PlaceColumns()) columns.push_back(std::move(place));
    return column::BehindRank(columns);
  }();
  return kColumns;
}

std::vector<Table> MapSlack(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const DependencyGraph& graph = facts.path().graph;
  const Windows windows(trace, options.steps);
  const std::vector<std::int64_t> slack = Slack(graph);
  Table table("slack", column::OfMap(SlackColumns()));
  for (SegmentId i = 0; i < graph.segments.size(); ++i) {
    const Segment& segment = graph.segments[i];
    if (windows.At(segment.begin_ns) == Windows::kNone) continue;
    const Row first = segment.first_row;
    std::vector<Value> row = {
        StepAt(windows, segment.begin_ns),
        trace.meta.base_ns + segment.begin_ns,
        segment.end_ns - segment.begin_ns,
        slack[i] == kUnboundedSlack ? Value(kNull) : Value(slack[i]),
        first == kNoRow ? Value(kNull) : Value(trace.name_of(first)),
        std::int64_t{segment.row_count},
        first == kNoRow ? Value(kNull) : Value(std::int64_t{trace.source[first]})};
    AppendPlace(trace, segment.track, row);
    table.AddRow(row);
  }
  return {table};
}

}  // namespace

const Analysis& CriticalPathEventsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "critical_path_events",
      .size = Size::kDetail,
      .summary = "the critical path itself, piece by piece",
      .definition = std::string(kPathDefinition) +
                    " The pieces follow each other without a gap; a piece belongs to the step in "
                    "which it begins.",
      .example = "rankscope table critical_path_events traces/ --ranks 0 --steps 551",
      .columns = EventColumns(),
      .mapper = {.name = "critical_path_events",
                 .tables = {column::OfMap(EventColumns())},
                 .map = MapEvents},
      .reducer = JoinRows(CriticalPathEventsAnalysis, 4, {"ts_ns"}),
  };
  return kAnalysis;
}

const Analysis& SlackAnalysis() {
  static const Analysis kAnalysis = {
      .name = "slack",
      .size = Size::kDetail,
      .summary = "how much longer each piece of work could have taken at no cost",
      .definition =
          std::string(kPathDefinition) +
          " A segment is work of a thread or stream between two points at which it depends on work "
          "elsewhere, or work elsewhere on it. Its slack is the time by which it could have ended "
          "later before the recording had ended later, all other work and all gaps before work "
          "being as long as they were; 0 on the critical path.",
      .example = "rankscope query traces/ 'SELECT name, min(slack_ns) FROM slack GROUP BY name'",
      .columns = SlackColumns(),
      .mapper = {.name = "slack", .tables = {column::OfMap(SlackColumns())}, .map = MapSlack},
      .reducer = JoinRows(SlackAnalysis, 4, {"ts_ns"}),
  };
  return kAnalysis;
}

}  // namespace rankscope
