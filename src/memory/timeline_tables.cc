#include <algorithm>
#include <array>
#include <vector>

#include "memory/analysis.h"
#include "schemas/snapshot.h"

namespace rankscope::memory {

using snapshot::CategoryChange;
using snapshot::CategoryTimeline;
using snapshot::kCategories;

namespace {

constexpr std::size_t kCount = snapshot::kCategoryCount;
using Bytes = std::array<std::int64_t, kCount>;

std::int64_t Sum(const Bytes& bytes) {
  std::int64_t sum = 0;
  for (const std::int64_t one : bytes) sum += one;
  return sum;
}

// Levels behind the changes of each time, which stand together in the file.
struct Level {
  std::int64_t time_ns;  // as in the file
  Bytes bytes{};
};

std::vector<Level> LevelsOf(const CategoryTimeline& timeline) {
  std::vector<Level> levels;
  for (const CategoryChange& change : timeline.changes) {
    if (levels.empty()) {
      levels.push_back({change.time_ns});
    } else if (levels.back().time_ns != change.time_ns) {
      levels.push_back({change.time_ns, levels.back().bytes});
    }
    levels.back().bytes[change.category] += change.bytes;
  }
  return levels;
}

// The first time of the profile; what existed before has none.
std::int64_t FirstTime(const CategoryTimeline& timeline) {
  std::int64_t first = -1;
  for (const CategoryChange& change : timeline.changes) {
    if (change.time_ns >= 0 && (first < 0 || change.time_ns < first)) first = change.time_ns;
  }
  return first;
}

}  // namespace

Table TimelineCategoriesTable(const CategoryTimeline& timeline) {
  const auto& columns = SchemaOf<TimelineCategories>();
  auto table = columns.NewTable(std::string(TimelineCategories::kName));
  const std::vector<Level> levels = LevelsOf(timeline);
  if (levels.empty()) return table;
  const std::int64_t first = FirstTime(timeline);
  const auto peak =
      std::max_element(levels.begin(), levels.end(),
                       [](const auto& a, const auto& b) { return Sum(a.bytes) < Sum(b.bytes); });
  Bytes before{};
  for (const CategoryChange& change : timeline.changes) {
    if (change.time_ns < 0) before[change.category] += change.bytes;
  }
  const auto whole = static_cast<double>(Sum(peak->bytes));
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto own =
        std::max_element(levels.begin(), levels.end(),
                         [i](const auto& a, const auto& b) { return a.bytes[i] < b.bytes[i]; });
    table.Add({columns.category = kCategories[i], columns.peak_bytes = peak->bytes[i],
               columns.of_peak_pct =
                   whole > 0 ? Value(100 * static_cast<double>(peak->bytes[i]) / whole) : kNull,
               columns.own_peak_bytes = own->bytes[i],
               columns.own_peak_ns = own->time_ns < 0 ? Value(kNull) : Value(own->time_ns - first),
               columns.before_bytes = before[i], columns.end_bytes = levels.back().bytes[i]});
  }
  table.SortBy({{columns.peak_bytes, true}});
  return table;
}

// HTA starts its clock at the first time that is above 0.
Table HtaMemoryTimelineTable(const CategoryTimeline& timeline) {
  auto table = SchemaOf<HtaMemoryTimeline>().NewTable(std::string(HtaMemoryTimeline::kName));
  const std::int64_t first = FirstTime(timeline);
  for (const Level& level : LevelsOf(timeline)) {
    std::vector<Value> row = {level.time_ns < 0 ? std::int64_t{0} : level.time_ns - first};
    row.insert(row.end(), level.bytes.begin(), level.bytes.end());
    table.AddRow(row);
  }
  return table;
}

}  // namespace rankscope::memory
