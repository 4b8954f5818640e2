#include "analysis/memory/memory_peaks.h"

#include <algorithm>

#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "stage/reduce.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = column::BehindRank({
      column::MemoryDeviceType(),
      column::MemoryDevice(),
      column::StepOfWindow(),
      column::Int("begin_bytes", "bytes", "allocated at the begin of the window"),
      column::Int("end_bytes", "bytes", "allocated at its end"),
      column::Int("peak_bytes", "bytes", "most that is allocated at any time in it"),
      column::Int("peak_ts_ns", "ns",
                  "when that is first reached, from the job's origin, by the rank's own clock"),
      column::Int("peak_reserved_bytes", "bytes",
                  "most that the allocator holds reserved; null for the host, which reserves none"),
      column::Int("allocations", "", "allocations in the window"),
      column::Int("frees", "", "frees in the window"),
      column::Int("allocated_bytes", "bytes", "sum over the allocations"),
      column::Int("freed_bytes", "bytes", "sum over the frees"),
      column::Complete(),
  });
  return kColumns;
}

struct Traffic {
  std::int64_t reserved = kUnknownBytes;  // the most
  std::int64_t allocations = 0;
  std::int64_t frees = 0;
  std::int64_t allocated = 0;
  std::int64_t freed = 0;

  void Add(const MemoryEvent& event) {
    reserved = std::max(reserved, event.reserved);
    if (event.bytes > 0) {
      ++allocations;
      AddSaturating(allocated, event.bytes);
    } else if (event.bytes < 0) {
      ++frees;
      // The least number has no opposite.
      AddSaturating(freed, -std::max(event.bytes, -INT64_MAX));
    }
  }
};

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  Table table("memory_peaks", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  if (facts.memory().empty()) return {table};
  const Windows windows(trace, options.steps);
  for (const MemoryDevice& device : facts.memory()) {
    const std::string type = DeviceTypeName(device.type);
    for (const Window& window : windows) {
      Traffic traffic;
      for (const Interval& piece : window.intervals) {
        const MemoryDevice::Range range = device.EventsIn(piece, trace);
        traffic.reserved = std::max(traffic.reserved, device.ReservedAfter(range.begin));
        for (std::size_t i = range.begin; i < range.end; ++i) traffic.Add(device.events[i]);
      }
      const std::size_t first = device.EventsIn(window.intervals.front(), trace).begin;
      const std::size_t last = device.EventsIn(window.intervals.back(), trace).end;
      const Peak peak = device.PeakIn(window.intervals, trace);
      table.AddRow({std::string_view(type), device.IdValue(), window.StepValue(),
                    BytesOrNull(device.AllocatedAfter(first)),
                    BytesOrNull(device.AllocatedAfter(last)), BytesOrNull(peak.bytes),
                    peak.bytes < 0 ? Value(kNull) : Value(trace.meta.base_ns + peak.t),
                    BytesOrNull(traffic.reserved), traffic.allocations, traffic.frees,
                    traffic.allocated, traffic.freed, window.complete});
    }
  }
  return {table};
}

}  // namespace

const Analysis& MemoryPeaksAnalysis() {
  static const Analysis kAnalysis = {
      .name = "memory_peaks",
      .summary = "memory by device and step: at begin and end, peak, reserved, allocations",
      .definition =
          "From the memory instants that PyTorch records with profile_memory=True; traces without "
          "them have no rows. A level is the total that an instant states and holds until the next "
          "instant of the device; where none is stated, the level before plus the bytes. Before "
          "the first instant it is that one's total less its bytes. peak_bytes is the highest "
          "level in the window, its begin included. The totals of a device are those of its "
          "caching allocator, what it held before the recording included; the host's count only "
          "what was allocated under the profiler, and its allocator reserves nothing. Bytes are "
          "as the allocator rounds them. end_bytes of a step is begin_bytes of the next.",
      .example = "rankscope table memory_peaks traces/",
      .columns = Columns(),
      .mapper = {.name = "memory_peaks", .tables = {column::OfMap(Columns())}, .map = Map},
      .reducer = JoinRows(MemoryPeaksAnalysis, 5, {"peak_ts_ns"}),
  };
  return kAnalysis;
}

}  // namespace rankscope
