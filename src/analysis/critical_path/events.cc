// critical_path_events and slack: the path itself, and how far everything else is from it.
#include <optional>
#include <utility>

#include "analysis/critical_path/analyses.h"
#include "facts/path_charges.h"
#include "facts/windows.h"
#include "graph/critical_path.h"
#include "schemas/rank_rows.h"
#include "schemas/words.h"
#include "stage/reduce.h"
#include "table/move_tables.h"
#include "trace/call_tree.h"

namespace rankscope {
namespace {

// Where something runs: on a stream, or on a host thread.
struct EventsPlace {
  std::optional<std::int64_t> device, stream, thread;
};

ColumnSpec DeviceOfPlace() { return column::Int("device", "", "of a stream; null on the host"); }
ColumnSpec StreamOfPlace() { return column::Int("stream", "", "of the device; null on the host"); }
ColumnSpec ThreadOfPlace() {
  return column::Int("thread", "", "id of the host thread; null on a device");
}

EventsPlace PlaceOf(const RankTrace& trace, std::uint32_t index) {
  EventsPlace place;
  if (index == kNoTrack) return place;
  const Track& track = trace.tracks[index];
  if (track.domain == Domain::kHost) {
    place.thread = track.second;
  } else {
    place.device = track.first;
    place.stream = track.second;
  }
  return place;
}

Value StepAt(const Windows& windows, std::int64_t t) {
  const std::size_t window = windows.At(t);
  return window == Windows::kNone ? Value(kNull) : windows[window].StepValue();
}

struct CriticalPathEvents : Schema<CriticalPathEvents, RankRows> {
  static constexpr std::string_view kName = "critical_path_events";

  IntColumn step = Int(column::StepOfRank());
  IntColumn ts_ns = Int("ts_ns", "ns", "begin, from the job's origin, by the rank's own clock");
  IntColumn dur_ns = Int("dur_ns", "ns", "length");
  StringColumn part = Text("part", "as in critical_path_ops");
  StringColumn name =
      Text("name",
           "of the work, of the work that a launch or gap leads to, or of the innermost row of the "
           "thread; null where nothing is known");
  StringColumn op = Text("op", "the op that launched it, or the innermost op; null without one");
  IntColumn event =
      Int("event", "", "index of that row in the file's traceEvents; null without one");
  IntColumn device = Int(DeviceOfPlace());
  IntColumn stream = Int(StreamOfPlace());
  IntColumn thread = Int(ThreadOfPlace());
};

std::vector<Table> MapEvents(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfRank(facts, options.steps);
  const FrameTree ops(trace, [&](Row row) { return trace.kind[row] == EventKind::kCpuOp; });
  const auto& columns = SchemaOf<CriticalPathEvents>();
  auto table = columns.NewPartial("critical_path_events");
  for (const Charge& charge : facts.path()) {
    if (windows.At(charge.begin_ns) == Windows::kNone) continue;
    const Row host = HostRowOf(trace, charge);
    const std::uint32_t op = host == kNoRow ? FrameTree::kNone : ops.at(host);
    const bool has_row = charge.row != kNoRow;
    const EventsPlace place = PlaceOf(trace, charge.track);
    table.Add(
        {columns.step = StepAt(windows, charge.begin_ns),
         columns.ts_ns = trace.meta.base_ns + charge.begin_ns,
         columns.dur_ns = charge.end_ns - charge.begin_ns,
         columns.part = kPathParts[static_cast<std::size_t>(charge.cause)].id,
         columns.name = has_row ? Value(trace.name_of(charge.row)) : Value(kNull),
         columns.op = op == FrameTree::kNone ? Value(kNull) : Value(trace.name_of(ops.row(op))),
         columns.event = has_row ? Value(std::int64_t{trace.source[charge.row]}) : Value(kNull),
         columns.device = place.device, columns.stream = place.stream,
         columns.thread = place.thread});
  }
  return MoveTables(std::move(table));
}

struct SlackOfSegments : Schema<SlackOfSegments, RankRows> {
  static constexpr std::string_view kName = "slack";

  IntColumn step = Int(column::StepOfRank());
  IntColumn ts_ns = Int("ts_ns", "ns", "begin, from the job's origin, by the rank's own clock");
  IntColumn dur_ns = Int("dur_ns", "ns", "length of the segment");
  IntColumn slack_ns =
      Int("slack_ns", "ns",
          "how much later it could have ended without the recording ending later; null for work of "
          "a side thread behind that end");
  StringColumn name = Text("name", "of its first kernel or copy; null on the host");
  IntColumn works = Int("works", "", "kernels and copies in it; 0 on the host");
  IntColumn event =
      Int("event", "", "index of the first in the file's traceEvents; null on the host");
  IntColumn device = Int(DeviceOfPlace());
  IntColumn stream = Int(StreamOfPlace());
  IntColumn thread = Int(ThreadOfPlace());
};

std::vector<Table> MapSlack(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const DependencyGraph& graph = facts.graph();
  const Windows windows = Windows::OfRank(facts, options.steps);
  const std::vector<std::int64_t> slack = Slack(graph);
  const auto& columns = SchemaOf<SlackOfSegments>();
  auto table = columns.NewPartial("slack");
  for (SegmentId i = 0; i < graph.segments.size(); ++i) {
    const Segment& segment = graph.segments[i];
    if (windows.At(segment.begin_ns) == Windows::kNone) continue;
    const Row first = segment.first_row;
    const bool has_row = first != kNoRow;
    const EventsPlace place = PlaceOf(trace, segment.track);
    table.Add({columns.step = StepAt(windows, segment.begin_ns),
               columns.ts_ns = trace.meta.base_ns + segment.begin_ns,
               columns.dur_ns = segment.end_ns - segment.begin_ns,
               columns.slack_ns = slack[i] == kUnboundedSlack ? Value(kNull) : Value(slack[i]),
               columns.name = has_row ? Value(trace.name_of(first)) : Value(kNull),
               columns.works = segment.row_count,
               columns.event = has_row ? Value(std::int64_t{trace.source[first]}) : Value(kNull),
               columns.device = place.device, columns.stream = place.stream,
               columns.thread = place.thread});
  }
  return MoveTables(std::move(table));
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
      .columns = SchemaOf<CriticalPathEvents>().columns(),
      .mapper = {.name = "critical_path_events",
                 .version = 3,
                 .tables = {SchemaOf<CriticalPathEvents>().BareColumns()},
                 .map = MapEvents},
      .reducer = JoinRows<CriticalPathEvents>(SchemaOf<CriticalPathEvents>().ts_ns,
                                              {SchemaOf<CriticalPathEvents>().ts_ns}),
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
      .columns = SchemaOf<SlackOfSegments>().columns(),
      .mapper = {.name = "slack",
                 .version = 2,
                 .tables = {SchemaOf<SlackOfSegments>().BareColumns()},
                 .map = MapSlack},
      .reducer = JoinRows<SlackOfSegments>(SchemaOf<SlackOfSegments>().ts_ns,
                                           {SchemaOf<SlackOfSegments>().ts_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
