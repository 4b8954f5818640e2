#include "analysis/snoop/analyses.h"
#include "analysis/snoop/numbered_windows.h"
#include "base/saturating.h"
#include "schemas/snoop.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

Result<Table> Memory(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<SnoopMemory>();
  auto table = columns.NewTable(std::string(SnoopMemory::kName));
  for (const NumberedWindow& window : WindowsOf(job)) {
    if (window.snoop == nullptr) continue;
    for (const snoop_file::Memory& one : window.snoop->memory) {
      table.Add({columns.window = window.number, columns.rank = window.rank,
                 columns.level = TextOrNull(one.level), columns.memory = TextOrNull(one.memory),
                 columns.allocations = one.allocations,
                 columns.allocated_bytes = one.allocated_bytes, columns.frees = one.frees,
                 columns.freed_bytes = one.freed_bytes,
                 columns.frees_of_earlier = one.frees_of_earlier, columns.live = one.live,
                 columns.live_bytes = one.live_bytes, columns.peak_bytes = one.peak_bytes});
    }
  }
  return table;
}

Result<Table> OverTime(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<SnoopMemoryOverTime>();
  auto table = columns.NewTable(std::string(SnoopMemoryOverTime::kName));
  for (const NumberedWindow& window : WindowsOf(job)) {
    if (window.snoop == nullptr) continue;
    for (const snoop_file::Timeline& one : window.snoop->timelines) {
      std::int64_t begin_ns = window.begin_ns;
      for (std::size_t i = 0; i < one.last_bytes.size(); ++i) {
        table.Add({columns.window = window.number, columns.rank = window.rank,
                   columns.level = TextOrNull(one.level), columns.memory = TextOrNull(one.memory),
                   columns.ts_ns = begin_ns, columns.highest_bytes = one.highest_bytes[i],
                   columns.last_bytes = one.last_bytes[i]});
        begin_ns = SaturatingAdd(begin_ns, one.part_ns);
      }
    }
  }
  return table;
}

}  // namespace

const Analysis& SnoopMemoryAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(SnoopMemory::kName),
      .size = Size::kSummary,
      .summary = "what processes allocated and freed in windows of snoop, by level and memory",
      .definition =
          "Allocations that returned success in the window, by the bytes that were asked for, and "
          "frees of these; a free of something older is in frees_of_earlier and changes nothing "
          "else, so that live_bytes holds what the window added and kept. The runtime calls the "
          "driver: one allocation is seen at both levels, and levels are never added up "
          "(docs/snoop.md).",
      .example = "rankscope table snoop_memory traces/",
      .columns = SchemaOf<SnoopMemory>().columns(),
      .derive = Memory,
  };
  return kAnalysis;
}

const Analysis& SnoopMemoryOverTimeAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(SnoopMemoryOverTime::kName),
      .size = Size::kDetail,
      .summary = "live memory of windows of snoop over time, by level and memory",
      .definition =
          "What was allocated in the window and lives, in parts of equal length: the highest of "
          "each part and what it ends with. A part in which nothing changed has what the one "
          "before ended with.",
      .example = "rankscope table snoop_memory_over_time traces/ --format csv",
      .columns = SchemaOf<SnoopMemoryOverTime>().columns(),
      .derive = OverTime,
  };
  return kAnalysis;
}

}  // namespace rankscope
