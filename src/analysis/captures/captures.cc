#include "analysis/captures/captures.h"

#include "base/saturating.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      {"rank", ColumnType::kInt64, "", "global rank"},
      {"capture", ColumnType::kInt64, "", "which recording of the rank, in time order"},
      {"group", ColumnType::kInt64, "", "recordings of ranks that overlap in time share a group"},
      {"analysed", ColumnType::kBool, "", "false when the recording was left out (see --capture)"},
      {"host", ColumnType::kString, "", "host name; null when the trace does not state it"},
      {"device", ColumnType::kString, "", "name of the first device; null when there is none"},
      {"start_ns", ColumnType::kInt64, "ns",
       "begin of the recording from the job's origin, by the rank's own clock"},
      {"duration_ns", ColumnType::kInt64, "ns", "from the first begin to the last end of an event"},
      {"events", ColumnType::kInt64, "", "elements of traceEvents"},
      {"rows", ColumnType::kInt64, "", "events with a place on a timeline"},
      {"file", ColumnType::kString, "", "path of the file"},
  };
  return kColumns;
}

Value TextOrNull(const std::string& text) {
  return text.empty() ? Value(kNull) : Value(std::string_view(text));
}

Result<Table> Reduce(std::span<const Table* const>, const JobContext& job, const Options&) {
  Table table("captures", Columns());
  for (const Capture& capture : job.captures) {
    table.AddRow({capture.rank, capture.index, capture.group, capture.selected,
                  TextOrNull(capture.host), TextOrNull(capture.device_name),
                  SaturatingSubtract(capture.begin_ns, job.origin_ns),
                  SaturatingSubtract(capture.end_ns, capture.begin_ns), capture.events,
                  capture.rows, std::string_view(capture.path)});
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
          "analysed. Recordings of "
          "different ranks that overlap in time form a group; by default the latest group with the "
          "most ranks is analysed.",
      .example = "rankscope table captures traces/ --capture all",
      .columns = Columns(),
      .derive = Reduce,
  };
  return kAnalysis;
}

}  // namespace rankscope
