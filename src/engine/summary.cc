#include "engine/summary.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "facts/trace_facts.h"
#include "job/runs.h"
#include "table/move_tables.h"
#include "table/schema.h"

namespace rankscope {
namespace {

struct CaptureColumns : Schema<CaptureColumns> {
  IntColumn rank = Int("rank");
  IntColumn world_size = Int("world_size");
  IntColumn begin_ns = Int("begin_ns");
  IntColumn end_ns = Int("end_ns");
  IntColumn rows = Int("rows");
  IntColumn events = Int("events");
  StringColumn host = Text("host");
  StringColumn device = Text("device");
  IntColumn host_devices = Int("host_devices");
  IntColumn pid = Int("pid");
};

// HashNames of the capture's kernels.
struct NameColumns : Schema<NameColumns> {
  IntColumn hash = Int("hash");
};

struct QualityColumns : Schema<QualityColumns> {
  IntColumn code = Int("code");
  IntColumn byte = Int("byte");
  IntColumn count = Int("count");
  StringColumn message = Text("message");
};

// The process of the host thread that has most rows; -1 without one.
std::int64_t ProcessOf(const RankTrace& trace) {
  const Track* most = nullptr;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    if (most == nullptr || track.end - track.begin > most->end - most->begin) most = &track;
  }
  return most == nullptr ? -1 : most->first;
}

std::vector<std::uint64_t> HashesOf(const RankTrace& trace) {
  std::vector<bool> is_kernel(trace.strings.size(), false);
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] == EventKind::kKernel) is_kernel[trace.name[row]] = true;
  }
  std::vector<std::string_view> names;
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    if (is_kernel[id]) names.push_back(trace.strings.Get(id));
  }
  return HashNames(names);
}

// The device that has most of the work: a recording lists all devices of its host. The first one
// where no work says which it was.
std::string_view NameOfDevice(const RankTrace& trace) {
  const auto& devices = trace.meta.devices;
  if (devices.empty()) return {};
  std::map<std::int64_t, std::size_t> rows;
  for (const Track& track : trace.tracks) {
    if (track.domain == Domain::kDevice) rows[track.first] += track.end - track.begin;
  }
  const auto most = std::max_element(
      rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const DeviceProperties& device : devices) {
    if (most != rows.end() && device.id == most->first) return device.name;
  }
  return devices.front().name;
}

std::vector<Table> SummariseTrace(const RankTrace& trace) {
  const TraceMeta& meta = trace.meta;
  const auto& capture = SchemaOf<CaptureColumns>();
  const std::string_view device = NameOfDevice(trace);
  auto captures = capture.NewPartial("capture");
  captures.Add({capture.rank = meta.rank, capture.world_size = meta.world_size,
                capture.begin_ns = meta.base_ns + trace.begin_ns,
                capture.end_ns = meta.base_ns + trace.finish_ns,
                capture.rows = static_cast<std::int64_t>(trace.row_count()),
                capture.events = static_cast<std::int64_t>(meta.event_count),
                capture.host = std::string_view(meta.host_name), capture.device = device,
                capture.host_devices = static_cast<std::int64_t>(meta.devices.size()),
                capture.pid = ProcessOf(trace)});
  const auto& quality = SchemaOf<QualityColumns>();
  auto entries = quality.NewPartial("quality");
  for (const QualityEntry& entry : meta.quality) {
    entries.Add({quality.code = static_cast<std::int64_t>(entry.code), quality.byte = entry.byte,
                 quality.count = entry.count, quality.message = std::string_view(entry.message)});
  }
  const auto& name = SchemaOf<NameColumns>();
  auto names = name.NewPartial("names");
  for (const std::uint64_t hash : HashesOf(trace))
    names.Add({name.hash = static_cast<std::int64_t>(hash)});
  return MoveTables(std::move(captures), std::move(entries), std::move(names));
}

}  // namespace

Mapper CaptureSummary() {
  return {
      .name = "capture",
      .version = 5,
      .tables = {SchemaOf<CaptureColumns>().BareColumns(), SchemaOf<QualityColumns>().BareColumns(),
                 SchemaOf<NameColumns>().BareColumns()},
      .map = [](const TraceFacts& facts, const MapOptions&) {
        return SummariseTrace(facts.trace());
      }};
}

Result<Capture> CaptureFromSummary(const std::vector<Table>& tables) {
  const auto& columns = SchemaOf<CaptureColumns>();
  const auto& quality = SchemaOf<QualityColumns>();
  const auto& names = SchemaOf<NameColumns>();
  if (tables.size() != 3 || tables[0].row_count() != 1 || !columns.Fits(tables[0]) ||
      !quality.Fits(tables[1]) || !names.Fits(tables[2]))
    return Error(StatusCode::kBadData, "the cached summary is not one");
  const ViewOf<CaptureColumns> table = tables[0];
  Capture capture;
  capture.rank = table.Int(0, columns.rank);
  capture.world_size = table.Int(0, columns.world_size);
  capture.begin_ns = table.Int(0, columns.begin_ns);
  capture.end_ns = table.Int(0, columns.end_ns);
  capture.rows = table.Int(0, columns.rows);
  capture.events = table.Int(0, columns.events);
  capture.host = table.String(0, columns.host);
  capture.device_name = table.String(0, columns.device);
  capture.host_devices = table.Int(0, columns.host_devices);
  capture.pid = table.Int(0, columns.pid);
  capture.rank_is_stated = capture.rank >= 0;
  const ViewOf<NameColumns> kernels = tables[2];
  for (std::size_t row = 0; row < kernels.row_count(); ++row)
    capture.kernel_names.push_back(static_cast<std::uint64_t>(kernels.Int(row, names.hash)));
  const ViewOf<QualityColumns> flaws = tables[1];
  for (std::size_t row = 0; row < flaws.row_count(); ++row) {
    const std::int64_t code = flaws.Int(row, quality.code);
    if (code < 0 || code > static_cast<std::int64_t>(QualityCode::kOther))
      return Error(StatusCode::kBadData, "the cached summary is not one");
    capture.quality.push_back({static_cast<QualityCode>(code), flaws.Int(row, quality.byte),
                               flaws.Int(row, quality.count),
                               std::string(flaws.String(row, quality.message))});
  }
  return capture;
}

}  // namespace rankscope
