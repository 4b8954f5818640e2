#include "memory/tables.h"

#include <algorithm>

#include "schemas/snapshot.h"

namespace rankscope::memory {
namespace {

template <typename T>
MemoryTable Of(std::string_view summary, Input input = Input::kSnapshot) {
  return {T::kName, summary, input, &SchemaOf<T>().columns()};
}

}  // namespace

std::span<const MemoryTable> MemoryTables() {
  static const std::vector<MemoryTable> kTables = {
      Of<SnapshotSummary>("a device: its peak, what it holds at the end, what is cached"),
      Of<SnapshotOom>("each out-of-memory error: what was there, what was missing, and why"),
      Of<SnapshotPeak>("who holds the memory when most is held, by stack"),
      Of<SnapshotLeaks>("what a later snapshot holds that an earlier one does not, by stack",
                        Input::kTwoSnapshots),
      Of<SnapshotCategories>("memory by what the program did when it allocated it"),
      Of<SnapshotStacks>("memory by stack: at the peak, at the end, and in all"),
      Of<SnapshotFragmentation>("what is reserved and not used, by what requests can use it"),
      Of<SnapshotSegments>("the segments at the end and how they are filled"),
      Of<SnapshotBlocks>("the blocks of the segments at the end"),
      Of<SnapshotTimeline>("allocated, active and reserved memory after each event"),
      Of<SnapshotAllocations>("every allocation with its begin and its end"),
      Of<TimelineCategories>("memory by category, at the peak and each at its own",
                             Input::kTimeline),
      Of<HtaMemoryTimeline>("HTA's MemoryAnalysis: memory of each category over time",
                            Input::kTimeline),
  };
  return kTables;
}

const MemoryTable* FindMemoryTable(std::string_view name) {
  const auto tables = MemoryTables();
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const MemoryTable& table) { return table.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace rankscope::memory
