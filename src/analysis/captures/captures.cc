#include "analysis/captures/analyses.h"

#include "base/saturating.h"
#include "schemas/captures.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

Result<Table> ReduceCaptures(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<Captures>();
  auto table = columns.NewTable("captures");
  for (const Capture& capture : job.captures) {
    table.Add({columns.rank = capture.rank, columns.capture = capture.index,
               columns.run = capture.run, columns.group = capture.group,
               columns.analysed = capture.selected, columns.host = TextOrNull(capture.host),
               columns.device = TextOrNull(capture.device_name),
               columns.start_ns = SaturatingSubtract(capture.begin_ns, job.origin_ns),
               columns.duration_ns = SaturatingSubtract(capture.end_ns, capture.begin_ns),
               columns.events = capture.events, columns.rows = capture.rows,
               columns.content = TextOrNull(capture.content), columns.file = capture.path});
  }
  return table;
}

}  // namespace

const Analysis& CapturesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "captures",
      .summary = "which files make up the job, and which were left out",
      .definition =
          "One row per trace file: its rank, which recording of that rank it is, and whether it is "
          "analysed. Recordings of a run of a program share `run`: those that overlap in time and "
          "are of different ranks, and later ones of the same processes that run the same program; "
          "several runs make no job together. Of a run, recordings of different ranks that overlap "
          "in time form a group; by default "
          "the latest group with the most ranks is analysed.",
      .example = "rankscope table captures traces/ --capture all",
      .columns = SchemaOf<Captures>().columns(),
      .derive = ReduceCaptures,
  };
  return kAnalysis;
}

}  // namespace rankscope
