// Why requests failed. At the time of an out-of-memory error the allocator had already returned
// what segments it could (their segment_free stands before the error), so what is cached then is
// unused stretches of segments in use. They are told from the history: segments and allocations
// that lived then. A stretch may be a little longer than the allocator's block, which is rounded to
// 512 bytes or not split for less than it wants to split.
#include <algorithm>
#include <map>
#include <vector>

#include "memory/analysis.h"
#include "schemas/snapshot.h"

namespace rankscope::memory {

using snapshot::Action;
using snapshot::Event;

namespace {

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t stream = 0;
};

constexpr std::uint64_t kRounding = 512;

std::uint64_t Rounded(std::uint64_t bytes) {
  return (bytes + kRounding - 1) / kRounding * kRounding;
}

void Cut(std::vector<Range>& ranges, const Range& hole) {
  std::vector<Range> rest;
  for (const Range& range : ranges) {
    if (range.end <= hole.begin || hole.end <= range.begin) {
      rest.push_back(range);
      continue;
    }
    if (range.begin < hole.begin) rest.push_back({range.begin, hole.begin, range.stream});
    if (hole.end < range.end) rest.push_back({hole.end, range.end, range.stream});
  }
  ranges = std::move(rest);
}

// What was reserved behind an event: the final segments less what came later.
std::vector<Range> SegmentsAt(const History& history, const snapshot::Snapshot& snapshot,
                              std::int64_t at) {
  std::vector<Range> ranges;
  for (const snapshot::Segment& segment : snapshot.segments) {
    if (segment.device == history.device().index)
      ranges.push_back({segment.address, segment.address + segment.bytes, segment.stream});
  }
  for (std::int64_t i = history.event_count() - 1; i > at; --i) {
    const Event& event = history.event(i);
    const Range range{event.address, event.address + event.bytes, event.stream};
    if (event.action == Action::kSegmentAlloc || event.action == Action::kSegmentMap) {
      Cut(ranges, range);
    } else if (event.action == Action::kSegmentFree || event.action == Action::kSegmentUnmap) {
      ranges.push_back(range);
    }
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return ranges;
}

struct Unused {
  std::int64_t bytes = 0;
  std::int64_t of_stream = 0;
  std::int64_t largest = 0;  // of the request's stream
};

Unused UnusedAt(const History& history, const std::vector<Range>& segments, std::int64_t at,
                std::uint32_t stream) {
  std::vector<Range> used;
  for (const Allocation& allocation : history.allocations()) {
    if (history.IsActiveBehind(allocation, at))
      used.push_back({allocation.address, allocation.address + Rounded(allocation.bytes), 0});
  }
  std::sort(used.begin(), used.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  Unused unused;
  std::size_t next = 0;
  for (const Range& segment : segments) {
    std::uint64_t from = segment.begin;
    const auto add = [&](std::uint64_t to) {
      if (to <= from) return;
      const auto bytes = static_cast<std::int64_t>(to - from);
      unused.bytes += bytes;
      if (segment.stream != stream) return;
      unused.of_stream += bytes;
      unused.largest = std::max(unused.largest, bytes);
    };
    while (next < used.size() && used[next].end <= segment.begin) ++next;
    for (; next < used.size() && used[next].begin < segment.end; ++next) {
      add(used[next].begin);
      from = std::max(from, used[next].end);
    }
    add(segment.end);
  }
  return unused;
}

std::pair<std::uint32_t, std::int64_t> LargestHolder(const History& history, std::int64_t at) {
  std::map<std::uint32_t, std::int64_t> bytes;
  for (const Allocation& allocation : history.allocations()) {
    if (history.IsActiveBehind(allocation, at))
      bytes[allocation.stack] += static_cast<std::int64_t>(allocation.bytes);
  }
  std::pair<std::uint32_t, std::int64_t> largest{0, -1};
  for (const auto& [stack, sum] : bytes) {
    if (sum > largest.second) largest = {stack, sum};
  }
  return largest;
}

std::string_view CauseOf(const Event& event, const Unused& unused, std::int64_t reserved,
                         std::optional<std::int64_t> device_bytes) {
  const auto requested = static_cast<std::int64_t>(event.bytes);
  const auto device_free = static_cast<std::int64_t>(event.address);
  if (unused.of_stream + device_free >= requested) return "fragmentation";
  if (unused.bytes + device_free >= requested) return "streams";
  if (device_bytes && *device_bytes - reserved - device_free > *device_bytes / 2) return "others";
  return "held";
}

}  // namespace

Table OomTable(const Analysis& analysis, std::optional<std::int64_t> device_bytes) {
  const auto& columns = SchemaOf<SnapshotOom>();
  auto table = columns.NewTable(std::string(SnapshotOom::kName));
  // A program that catches the error may go on and meet it thousands of times; each costs a pass
  // over all allocations.
  constexpr std::size_t kMostOoms = 50;
  for (const History& history : analysis.histories()) {
    Levels levels = history.before();
    std::size_t found = 0;
    for (std::int64_t i = 0; i < history.event_count() && found < kMostOoms; ++i) {
      history.Apply(i, levels);
      const Event& event = history.event(i);
      if (event.action != Action::kOom) continue;
      ++found;
      const auto segments = SegmentsAt(history, analysis.snapshot(), i);
      const Unused unused = UnusedAt(history, segments, i, event.stream);
      const auto requested = static_cast<std::int64_t>(event.bytes);
      const auto device_free = static_cast<std::int64_t>(event.address);
      const auto [stack, held] = LargestHolder(history, i);
      const std::string place = analysis.places().Place(event.stack);
      const std::string text = analysis.places().Stack(event.stack);
      const std::string holder = analysis.places().Place(stack);
      const std::int64_t time = history.TimeNs(i);
      table.Add({columns.device = history.device().index,
                 columns.category = ToString(analysis.CategoryOf(history, event.stack, i)),
                 columns.place = place.empty() ? Value(kNull) : Value(std::string_view(place)),
                 columns.event = i,
                 columns.time_ns = time == snapshot::kNoTime ? Value(kNull) : Value(time),
                 columns.requested_bytes = requested, columns.device_free_bytes = device_free,
                 columns.active_bytes = levels.active, columns.reserved_bytes = levels.reserved,
                 columns.cached_bytes = unused.bytes, columns.largest_gap_bytes = unused.largest,
                 columns.missing_bytes =
                     std::max<std::int64_t>(requested - device_free - unused.bytes, 0),
                 columns.cause = CauseOf(event, unused, levels.reserved, device_bytes),
                 columns.holder = holder.empty() ? Value(kNull) : Value(std::string_view(holder)),
                 columns.holder_bytes = held < 0 ? Value(kNull) : Value(held),
                 columns.stack = text.empty() ? Value(kNull) : Value(std::string_view(text))});
    }
  }
  return table;
}

}  // namespace rankscope::memory
