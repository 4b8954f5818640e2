#include "engine/summary.h"

namespace rankscope {

std::vector<Table> SummariseTrace(const RankTrace& trace) {
  const TraceMeta& meta = trace.meta;
  Table capture("capture", {{"rank"},
                            {"world_size"},
                            {"begin_ns"},
                            {"end_ns"},
                            {"rows"},
                            {"events"},
                            {"host", ColumnType::kString},
                            {"device", ColumnType::kString}});
  const std::string_view device =
      meta.devices.empty() ? std::string_view() : std::string_view(meta.devices.front().name);
  capture.AddRow({meta.rank, meta.world_size, meta.base_ns + trace.begin_ns,
                  meta.base_ns + trace.finish_ns, static_cast<std::int64_t>(trace.row_count()),
                  static_cast<std::int64_t>(meta.event_count), std::string_view(meta.host_name),
                  device});
  Table quality("quality", {{"code"}, {"byte"}, {"count"}, {"message", ColumnType::kString}});
  for (const QualityEntry& entry : meta.quality) {
    quality.AddRow({static_cast<std::int64_t>(entry.code), entry.byte, entry.count,
                    std::string_view(entry.message)});
  }
  return {capture, quality};
}

Result<Capture> CaptureFromSummary(const std::vector<Table>& tables) {
  if (tables.size() != 2 || tables[0].row_count() != 1 || tables[0].column_count() != 8 ||
      tables[1].column_count() != 4) {
    return Error(StatusCode::kBadData, "the cached summary is not one");
  }
  const Table& table = tables[0];
  Capture capture;
  capture.rank = table.Int(0, 0);
  capture.world_size = table.Int(0, 1);
  capture.begin_ns = table.Int(0, 2);
  capture.end_ns = table.Int(0, 3);
  capture.rows = table.Int(0, 4);
  capture.events = table.Int(0, 5);
  capture.host = table.String(0, 6);
  capture.device_name = table.String(0, 7);
  capture.rank_is_stated = capture.rank >= 0;
  for (std::size_t row = 0; row < tables[1].row_count(); ++row) {
    capture.quality.push_back({static_cast<QualityCode>(tables[1].Int(row, 0)),
                               tables[1].Int(row, 1), tables[1].Int(row, 2),
                               std::string(tables[1].String(row, 3))});
  }
  return capture;
}

}  // namespace rankscope
