// The analysis of a snapshot: histories of its devices and tables made from them
// (schemas/snapshot.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "memory/history.h"
#include "memory/places.h"
#include "snapshot/category_timeline.h"
#include "snapshot/snapshot.h"
#include "table/table.h"

namespace rankscope::memory {

// Keeps a reference to the snapshot, which must outlive it. Cost: 90 bytes per event.
class Analysis {
 public:
  // Only one device if `device` is given.
  explicit Analysis(const snapshot::Snapshot& snapshot, std::optional<std::int64_t> device = {});

  const snapshot::Snapshot& snapshot() const { return snapshot_; }
  const Places& places() const { return places_; }
  const std::vector<History>& histories() const { return histories_; }
  // The category of an allocation made at an event with a stack: that of the stack, otherwise that
  // of an annotation around the event, such as torch.profiler's for optimizer steps.
  Category CategoryOf(const History& history, std::uint32_t stack, std::int64_t event) const;
  Category CategoryOf(const History& history, const Allocation& allocation) const {
    return CategoryOf(history, allocation.stack, allocation.begin);
  }

 private:
  struct Window {
    std::int64_t device;
    std::int64_t begin_us;
    std::int64_t end_us;
  };

  const snapshot::Snapshot& snapshot_;
  Places places_;
  std::vector<History> histories_;
  std::vector<Window> optimizer_steps_;  // by device and time
};

Table SummaryTable(const Analysis& analysis);
// Every event that changes a level; with `most_rows`, that many slices of time, each with the event
// after which most was active.
Table TimelineTable(const Analysis& analysis, std::optional<std::size_t> most_rows = {});
Table StacksTable(const Analysis& analysis);
Table CategoriesTable(const Analysis& analysis);
Table PeakTable(const Analysis& analysis);
Table SegmentsTable(const Analysis& analysis);
Table BlocksTable(const Analysis& analysis);
Table FragmentationTable(const Analysis& analysis);
// `device_bytes`: total memory of the device, if the user gave it.
Table OomTable(const Analysis& analysis, std::optional<std::int64_t> device_bytes = {});
// All allocations, sorted by begin; with `most_rows` only the largest.
Table AllocationsTable(const Analysis& analysis, std::optional<std::size_t> most_rows = {});
// The total level of the allocations that AllocationsTable left out because of `most_rows`: the
// maximum in each of `slices` slices of time.
Table RestTable(const Analysis& analysis, std::size_t most_rows, std::size_t slices);
// The last time in any history; kNoTime if there is none.
std::int64_t LastTimeUs(const Analysis& analysis);
// `second` must be a later snapshot of the same process.
Table LeaksTable(const Analysis& first, const Analysis& second);

Table TimelineCategoriesTable(const snapshot::CategoryTimeline& timeline);
Table HtaMemoryTimelineTable(const snapshot::CategoryTimeline& timeline);

}  // namespace rankscope::memory
