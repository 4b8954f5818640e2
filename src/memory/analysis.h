// A snapshot analysed: histories of its devices and the tables made of them (schemas/snapshot.h).
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

// Keeps no copy of the snapshot, which must outlive it. Cost: 90 bytes per event.
class Analysis {
 public:
  // Of one device when `device` names one.
  explicit Analysis(const snapshot::Snapshot& snapshot, std::optional<std::int64_t> device = {});

  const snapshot::Snapshot& snapshot() const { return snapshot_; }
  const Places& places() const { return places_; }
  const std::vector<History>& histories() const { return histories_; }
  // Of what was allocated at an event with a stack: what the stack says; where it says nothing, an
  // annotation around the event, as torch.profiler writes them for steps of optimizers.
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
// Every event that changes a level; with `most_rows` that many slices of time, of each the event
// behind which most was active.
Table TimelineTable(const Analysis& analysis, std::optional<std::size_t> most_rows = {});
Table StacksTable(const Analysis& analysis);
Table CategoriesTable(const Analysis& analysis);
Table PeakTable(const Analysis& analysis);
Table SegmentsTable(const Analysis& analysis);
Table BlocksTable(const Analysis& analysis);
Table FragmentationTable(const Analysis& analysis);
// `device_bytes`: what the device has in all, where the user says so.
Table OomTable(const Analysis& analysis, std::optional<std::int64_t> device_bytes = {});
// All, in the order of their begin; with `most_rows` the largest of them.
Table AllocationsTable(const Analysis& analysis, std::optional<std::size_t> most_rows = {});
// What AllocationsTable left out with `most_rows`: the level of the rest, over `slices` of time,
// the most of each.
Table RestTable(const Analysis& analysis, std::size_t most_rows, std::size_t slices);
// The last time in any history; kNoTime without one.
std::int64_t LastTimeUs(const Analysis& analysis);
// `second` is of the same process, and later.
Table LeaksTable(const Analysis& first, const Analysis& second);

Table TimelineCategoriesTable(const snapshot::CategoryTimeline& timeline);
Table HtaMemoryTimelineTable(const snapshot::CategoryTimeline& timeline);

}  // namespace rankscope::memory
