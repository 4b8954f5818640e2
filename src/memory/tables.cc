#include "memory/tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "schemas/snapshot.h"

namespace rankscope::memory {
namespace {

std::string_view FilesOf(Input input) {
  switch (input) {
    case Input::kTwoSnapshots:
      return "early.pickle late.pickle";
    case Input::kTimeline:
      return "timeline.raw.json.gz";
    case Input::kSnapshot:
      break;
  }
  return "snapshot.pickle";
}

template <typename T>
MemoryTable Of(std::string summary, std::string definition, Input input = Input::kSnapshot) {
  return {
      .entry = {.name = std::string(T::kName),
                .summary = std::move(summary),
                .definition = std::move(definition),
                .example = fmt::format("rankscope memory {} --table {}", FilesOf(input), T::kName),
                .subject = Subject::kSnapshot,
                .columns = SchemaOf<T>().columns()},
      .input = input};
}

}  // namespace

std::span<const MemoryTable> MemoryTables() {
  static const std::vector<MemoryTable> kTables = {
      Of<SnapshotSummary>(
          "a device: its peak, what it holds at the end, what is cached",
          "A row for each device. Levels are sums of the allocations that live at a time, told "
          "backwards from what the segments hold at the end, so what the ring buffer has lost "
          "changes none. Allocated memory is held by the program, from the request to its free; "
          "active memory until no stream uses it any more; reserved memory is the allocator's "
          "segments. The peak is the first event behind which most is active. At the end: "
          "reserved_bytes = requested by blocks in use + rounding_bytes + blocks that were given "
          "back and are still used by a stream + split_bytes + idle_segment_bytes. Source: "
          "torch.cuda.memory._dump_snapshot."),
      Of<SnapshotOom>(
          "each out-of-memory error: what was there, what was missing, and why",
          "A row for each error in the history, the first 50 of a device. Segments and allocations "
          "of that time are put together again from the history. cached_bytes = the unused "
          "stretches between them (an allocation taking its bytes rounded up to 512), "
          "missing_bytes = max(0, requested_bytes - device_free_bytes - cached_bytes). cause is "
          "fragmentation when device_free_bytes and what is cached for the request's stream are "
          "enough for it; streams when they are with what is cached for all streams; others when "
          "more than half of the device is neither reserved nor free (needs --device-memory); else "
          "held. holder is the stack whose active allocations are largest in sum."),
      Of<SnapshotPeak>(
          "who holds the memory when most is held, by stack",
          "Allocations that are active at the peak (snapshot_summary), by stack and category. "
          "of_peak_pct = 100 * bytes / peak_active_bytes. lifetime_ns is the mean of end - begin "
          "over those whose begin and end are in the history. The largest comes first."),
      Of<SnapshotLeaks>(
          "what a later snapshot holds that an earlier one does not, by stack",
          "Allocations that are active at the end of either snapshot of a process, by device, "
          "category and frames of the stack. An allocation of the second is kept when the first "
          "holds one with the same address, size and stack, and the second history does not show "
          "it allocated after the first snapshot; else it is new. growth_bytes = after_bytes - "
          "before_bytes, after_bytes = kept_bytes + new_bytes. The largest growth comes first.",
          Input::kTwoSnapshots),
      Of<SnapshotCategories>(
          "memory by what the program did when it allocated it",
          "The sums of snapshot_stacks by category. The category is told by the innermost frame "
          "that says what the program did; where none does, an annotation Optimizer.step#... "
          "around the allocation makes it optimizer. It is no kind of tensor: activations are of "
          "forward, gradients of backward, together with what is temporary there."),
      Of<SnapshotStacks>(
          "memory by stack: at the peak, at the end, and in all",
          "Sums of bytes and numbers of allocations by stack and category: those active at the "
          "peak (snapshot_summary), those active at the end, and those made during the history. "
          "before_bytes were allocated before it and are in none of allocated_bytes. By "
          "peak_bytes, then allocated_bytes."),
      Of<SnapshotFragmentation>(
          "what is reserved and not used, by what requests can use it",
          "Segments at the end, by stream, private pool and size class: a request is served from "
          "segments of its own alone. reserved_bytes = requested_bytes + rounding_bytes + "
          "pending_bytes + split_bytes + idle_segment_bytes. fragmentation_pct = 100 * (1 - "
          "largest_free_bytes / (split_bytes + idle_segment_bytes))."),
      Of<SnapshotSegments>(
          "the segments at the end and how they are filled",
          "A row for each segment: bytes = requested_bytes + rounding_bytes + pending_bytes + "
          "free_bytes. The largest comes first."),
      Of<SnapshotBlocks>(
          "the blocks of the segments at the end",
          "A row for each block, in the order of the snapshot. Its bytes are as the allocator "
          "rounds them; requested_bytes and category are null where nothing uses it."),
      Of<SnapshotTimeline>(
          "allocated, active and reserved memory after each event",
          "A row for each event of the history, in its order, and one in front of them for what "
          "was there before; events of unknown kinds are left out. Levels are those behind the "
          "event. They change by the bytes of the allocation that it begins, gives back or ends, "
          "whatever a free states itself."),
      Of<SnapshotAllocations>(
          "every allocation with its begin and its end",
          "A row for each allocation of the history, in the order of their begin; those of before "
          "come first. It is active from begin_ns to end_ns and held by the program up to "
          "freed_ns. A free that is missing ends the allocation when its address is given out "
          "again."),
      Of<TimelineCategories>(
          "memory by category, at the peak and each at its own",
          "A row for each category of torch.profiler. Levels are sums of the changes up to a time. "
          "peak_bytes: at the first time at which the sum of all categories is highest; "
          "own_peak_bytes: when this category is. of_peak_pct = 100 * peak_bytes / that sum. "
          "before_bytes are of changes without a time. Source: "
          "torch.profiler's export_memory_timeline (raw.json.gz).",
          Input::kTimeline),
      Of<HtaMemoryTimeline>(
          "HTA's MemoryAnalysis: memory of each category over time",
          "A row for each time with changes: the bytes of each category behind them. Times count "
          "from the first that is stated; what existed before it stands at 0. Source: "
          "HolisticTraceAnalysis, MemoryAnalysis.",
          Input::kTimeline),
  };
  return kTables;
}

const MemoryTable* FindMemoryTable(std::string_view name) {
  const auto tables = MemoryTables();
  const auto found = std::ranges::find_if(
      tables, [&](const MemoryTable& table) { return table.entry.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace rankscope::memory
