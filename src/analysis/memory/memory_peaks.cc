#include "analysis/memory/analyses.h"

#include <algorithm>
#include <utility>

#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/memory.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

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

std::vector<Table> MapMemoryPeaks(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<MemoryPeaks>();
  auto table = columns.NewPartial("memory_peaks");
  const RankTrace& trace = facts.trace();
  if (facts.memory().empty()) return MoveTables(std::move(table));
  const Windows windows = Windows::OfHost(facts, options.steps);
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
      table.Add(
          {columns.device_type = type, columns.device = device.IdValue(),
           columns.step = window.StepValue(),
           columns.begin_bytes = BytesOrNull(device.AllocatedAfter(first)),
           columns.end_bytes = BytesOrNull(device.AllocatedAfter(last)),
           columns.peak_bytes = BytesOrNull(peak.bytes),
           columns.peak_ts_ns = peak.bytes < 0 ? Value(kNull) : Value(trace.meta.base_ns + peak.t),
           columns.peak_reserved_bytes = BytesOrNull(traffic.reserved),
           columns.allocations = traffic.allocations, columns.frees = traffic.frees,
           columns.allocated_bytes = traffic.allocated, columns.freed_bytes = traffic.freed,
           columns.complete = window.complete});
    }
  }
  return MoveTables(std::move(table));
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
          "what was allocated under the profiler, and its allocator reserves nothing. Bytes are as "
          "the allocator rounds them. end_bytes of a step is begin_bytes of the next.",
      .example = "rankscope table memory_peaks traces/",
      .columns = SchemaOf<MemoryPeaks>().columns(),
      .mapper = {.name = "memory_peaks",
                 .version = 2,
                 .tables = {SchemaOf<MemoryPeaks>().BareColumns()},
                 .map = MapMemoryPeaks},
      .reducer =
          JoinRows<MemoryPeaks>(SchemaOf<MemoryPeaks>().step, {SchemaOf<MemoryPeaks>().peak_ts_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
