#include "analysis/memory/analyses.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/memory/highest_devices.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/memory.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct Level {
  std::int64_t t = 0;
  std::int64_t allocated = kUnknownBytes;
  std::int64_t reserved = kUnknownBytes;
  bool SameBytes(const Level& other) const {
    return allocated == other.allocated && reserved == other.reserved;
  }
};

// The levels of a device; several instants at one time are one.
std::vector<Level> LevelsOf(const MemoryDevice& device) {
  std::vector<Level> levels;
  levels.reserve(device.events.size());
  for (const MemoryEvent& event : device.events) {
    const Level level{event.t, event.allocated, event.reserved};
    if (!levels.empty() && levels.back().t == level.t) {
      levels.back() = level;
    } else {
      levels.push_back(level);
    }
  }
  return levels;
}

// The highest levels in each of `bins` parts of the time from the first level to the last; a part
// that does not differ from the one before is left out.
std::vector<Level> Binned(const std::vector<Level>& levels, std::int64_t bins) {
  const std::int64_t begin = levels.front().t;
  const std::int64_t width = (levels.back().t - begin) / bins + 1;
  const auto bin_of = [&](const Level& level) { return (level.t - begin) / width; };
  std::vector<Level> result;
  result.reserve(std::min(2 * levels.size(), static_cast<std::size_t>(bins)));
  const auto add = [&](const Level& level) {
    if (result.empty() || !result.back().SameBytes(level)) result.push_back(level);
  };
  for (std::size_t i = 0; i < levels.size();) {
    const std::int64_t bin = bin_of(levels[i]);
    Level highest{begin + bin * width};
    if (i > 0) {
      // What the level before left holds in the parts between, and at the begin of this one.
      const Level& before = levels[i - 1];
      const std::int64_t next_bin = bin_of(before) + 1;
      if (next_bin < bin) add({begin + next_bin * width, before.allocated, before.reserved});
      if (levels[i].t > highest.t) highest = {highest.t, before.allocated, before.reserved};
    }
    for (; i < levels.size() && bin_of(levels[i]) == bin; ++i) {
      highest.allocated = std::max(highest.allocated, levels[i].allocated);
      highest.reserved = std::max(highest.reserved, levels[i].reserved);
    }
    add(highest);
  }
  return result;
}

std::vector<Table> MapMemoryOverTime(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<MemoryOverTime>();
  auto table = columns.NewPartial("memory_over_time");
  const RankTrace& trace = facts.trace();
  if (facts.memory().empty()) return MoveTables(std::move(table));
  const std::int64_t bins = CountOption(options.values, "bins");
  const Windows windows = Windows::OfHost(facts, options.steps);
  for (const MemoryDevice& device : facts.memory()) {
    const std::string type = DeviceTypeName(device.type);
    std::vector<Level> levels = LevelsOf(device);
    if (bins > 0) levels = Binned(levels, bins);
    for (const Level& level : levels) {
      if (options.steps && windows.At(level.t) == Windows::kNone) continue;
      table.Add({columns.device_type = type, columns.device = device.IdValue(),
                 columns.ts_ns = trace.meta.base_ns + level.t,
                 columns.allocated_bytes = BytesOrNull(level.allocated),
                 columns.reserved_bytes = BytesOrNull(level.reserved)});
    }
  }
  return MoveTables(std::move(table));
}

struct MemoryOverTimeState {
  explicit MemoryOverTimeState(const Options& options)
      : highest(CountOption(options, "devices"), SchemaOf<MemoryOverTime>(),
                SchemaOf<MemoryOverTime>().allocated_bytes, HighestDevices::Level::kLargest) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    highest.Add(capture, std::move(tables.front()));
    return OkStatus();
  }
  void Merge(MemoryOverTimeState&& other) { highest.Merge(std::move(other.highest)); }
  Result<Table> Finish(const JobContext& job) {
    const auto& columns = SchemaOf<MemoryOverTime>();
    PerCapture<Table> rows = highest.TakeRows();
    return JoinedRows<MemoryOverTime>(rows, job, columns.ts_ns, {columns.ts_ns});
  }

  HighestDevices highest;
};

}  // namespace

const Analysis& MemoryOverTimeAnalysis() {
  static const Analysis kAnalysis = {
      .name = "memory_over_time",
      .size = Size::kDetail,
      .summary = "allocated and reserved memory of each device over time",
      .definition =
          "A row wherever an instant of memory_peaks' kind states a level; it holds until the next "
          "row of the device. Several instants at one time are one row. With bins=N, N equal parts "
          "of the time from the device's first instant to its last, each with the highest level in "
          "it, at most one row per part: a part whose levels are those of the one before is no "
          "row.",
      .example = "rankscope table memory_over_time traces/ --ranks 0 --set bins=1000",
      .columns = SchemaOf<MemoryOverTime>().columns(),
      .options = {{"devices", "0",
                   "of each device type the devices with the highest level, so many; 0 = all",
                   OptionType::kCount}},
      .mapper = {.name = "memory_over_time",
                 .version = 2,
                 .options = {{"bins", "0", "so many parts of time at most; 0 = every change",
                              OptionType::kCount}},
                 .tables = {SchemaOf<MemoryOverTime>().BareColumns()},
                 .map = MapMemoryOverTime},
      .reducer = ReduceBy<MemoryOverTimeState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
