#include "analysis/launches/analyses.h"

#include <utility>

#include "analysis/launches/queue_changes.h"
#include "analysis/launches/track_windows.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/rank_rows.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct QueueLengthSeries : Schema<QueueLengthSeries, RankRows> {
  static constexpr std::string_view kName = "queue_length_series";

  IntColumn device = Int(column::Device());
  IntColumn stream = Int(column::Stream());
  IntColumn ts_ns = Int("ts_ns", "ns", "from the job's origin, by the rank's own clock");
  IntColumn length = Int("length", "", "length of the queue from this time on");
};

std::vector<Table> MapQueueLengthSeries(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<QueueLengthSeries>();
  auto table = columns.NewPartial("queue_length_series");
  const RankTrace& trace = facts.trace();
  TrackWindows windows_of(facts, options.steps);
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    const Windows& windows = windows_of.Of(track);
    const std::vector<QueueChange> changes = QueueChangesOf(trace, track);
    std::int64_t length = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      length += changes[i].by;
      const bool is_last_of_time = i + 1 == changes.size() || changes[i + 1].t != changes[i].t;
      if (!is_last_of_time || windows.At(changes[i].t) == Windows::kNone) continue;
      table.Add({columns.device = track.first, columns.stream = track.second,
                 columns.ts_ns = trace.meta.base_ns + changes[i].t, columns.length = length});
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& QueueLengthSeriesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "queue_length_series",
      .size = Size::kDetail,
      .summary = "the length of each stream's launch queue over time",
      .definition =
          "A row wherever the queue (queue_length) changes; a length holds until the next row of "
          "the stream. Several changes at one time are one row.",
      .example = "rankscope table queue_length_series traces/ --ranks 0 --steps 551",
      .columns = SchemaOf<QueueLengthSeries>().columns(),
      .mapper = {.name = "queue_length_series",
                 .version = 2,
                 .tables = {SchemaOf<QueueLengthSeries>().BareColumns()},
                 .map = MapQueueLengthSeries},
      .reducer = JoinRows<QueueLengthSeries>(SchemaOf<QueueLengthSeries>().ts_ns,
                                             {SchemaOf<QueueLengthSeries>().ts_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
