#include "analysis/memory/analyses.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/memory.h"
#include "stage/reduce.h"
#include "statistics/trend.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostSteps = 1000;
constexpr std::size_t kFewestSteps = 3;

// Levels at the ends of the complete steps.
std::vector<Point> EndLevels(const MemoryDevice& device, const Windows& windows,
                             const RankTrace& trace) {
  std::vector<Point> levels;
  levels.reserve(windows.size());
  for (const Window& window : windows) {
    if (!window.step || !window.complete) continue;
    const std::size_t events = device.EventsIn(window.intervals.front(), trace).end;
    const std::int64_t level = device.AllocatedAfter(events);
    if (level >= 0) levels.push_back({*window.step, level});
  }
  return levels;
}

// All points, or kMostSteps of them evenly spread, the first and last included: the tests look at
// every pair.
std::vector<Point> Thinned(const std::vector<Point>& points) {
  if (points.size() <= kMostSteps) return points;
  std::vector<Point> thinned;
  thinned.reserve(kMostSteps);
  for (std::size_t i = 0; i < kMostSteps; ++i)
    thinned.push_back(points[i * (points.size() - 1) / (kMostSteps - 1)]);
  return thinned;
}

// By the device's number, or of any where all have as much: numbers change with
// CUDA_VISIBLE_DEVICES.
Value CapacityOf(const MemoryDevice& device, const RankTrace& trace) {
  const auto& stated = trace.meta.devices;
  if (device.id < 0 || stated.empty()) return kNull;
  const auto found = std::ranges::find(stated, device.id, &DeviceProperties::id);
  const auto& properties = found == stated.end() ? stated.front() : *found;
  const bool is_known =
      properties.memory_bytes > 0 &&
      (found != stated.end() || std::ranges::all_of(stated, [&](const DeviceProperties& other) {
         return other.memory_bytes == properties.memory_bytes;
       }));
  return is_known ? Value(properties.memory_bytes) : Value(kNull);
}

std::vector<Table> MapMemoryGrowth(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<MemoryGrowth>();
  auto table = columns.NewPartial("memory_growth");
  const RankTrace& trace = facts.trace();
  if (facts.memory().empty()) return MoveTables(std::move(table));
  const Windows windows = Windows::OfHost(facts, options.steps);
  for (const MemoryDevice& device : facts.memory()) {
    const std::vector<Point> levels = EndLevels(device, windows, trace);
    if (levels.empty()) continue;
    Value slope = kNull;
    Value probability = kNull;
    if (levels.size() >= kFewestSteps) {
      const std::vector<Point> points = Thinned(levels);
      if (const auto found = TheilSenSlope(points)) slope = *found;
      std::vector<std::int64_t> values;
      values.reserve(points.size());
      for (const Point& point : points) values.push_back(point.y);
      if (const auto found = TrendProbability(values)) probability = *found;
    }
    const std::int64_t first = levels.front().y;
    const std::int64_t last = levels.back().y;
    const std::string type = DeviceTypeName(device.type);
    table.Add({columns.device_type = type, columns.device = device.IdValue(),
               columns.steps = std::ssize(levels), columns.first_end_bytes = first,
               columns.last_end_bytes = last, columns.growth_bytes = last - first,
               columns.bytes_per_step = slope, columns.p_value = probability,
               columns.capacity_bytes = CapacityOf(device, trace)});
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& MemoryGrowthAnalysis() {
  static const Analysis kAnalysis = {
      .name = "memory_growth",
      .summary = "growth of allocated memory from step to step, and how certain it is",
      .definition =
          "The levels are the allocated bytes at the ends of the complete steps (end_bytes of "
          "memory_peaks). bytes_per_step is the median of the slopes (level_j - level_i) / "
          "(number_j - number_i) over all pairs of steps (Theil 1950; Sen 1968), which one odd "
          "step does not move. p_value is that of the two-sided Mann-Kendall test for a trend "
          "(Mann 1945; Kendall 1975) of the levels in the order of the steps: exact up to 20 "
          "steps, equal levels included, beyond by the normal approximation with corrections for "
          "ties and continuity; 1 when all levels are equal. 4 steps that only rise have 0.083, 5 "
          "have 0.017: fewer than 5 steps cannot show growth at 5%. Memory that grows while a job "
          "warms up is no leak: record steps behind the warm-up. Of more than 1,000 steps, 1,000 "
          "evenly spread ones make the slope and the test. capacity_bytes is what deviceProperties "
          "of the trace state (totalGlobalMem).",
      .example = "rankscope query traces/ 'FROM memory_growth WHERE p_value < 0.05'",
      .columns = SchemaOf<MemoryGrowth>().columns(),
      .mapper = {.name = "memory_growth",
                 .version = 3,
                 .tables = {SchemaOf<MemoryGrowth>().BareColumns()},
                 .map = MapMemoryGrowth},
      .reducer = JoinRows<MemoryGrowth>(SchemaOf<MemoryGrowth>().device),
  };
  return kAnalysis;
}

}  // namespace rankscope
