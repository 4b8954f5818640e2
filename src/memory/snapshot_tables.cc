#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

#include "memory/analysis.h"
#include "memory/pools.h"
#include "schemas/snapshot.h"
#include "table/or_null.h"

namespace rankscope::memory {

using snapshot::Action;
using snapshot::BlockState;

namespace {

std::int64_t SignedBytes(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); }

Value TimeOrNull(std::int64_t time_ns) {
  return time_ns == snapshot::kNoTime ? Value(kNull) : Value(time_ns);
}

std::string_view NameOf(Action action) {
  constexpr std::string_view kNames[] = {
      "alloc",        "free_requested", "free_completed", "segment_alloc",
      "segment_free", "segment_map",    "segment_unmap",  "oom",
      "other"};
  return kNames[static_cast<std::size_t>(action)];
}

// What one stack or category adds up to.
struct Sums {
  std::int64_t peak_bytes = 0, peak_count = 0;
  std::int64_t end_bytes = 0, end_count = 0;
  std::int64_t allocated_bytes = 0, allocations = 0;
  std::int64_t before_bytes = 0;

  void Add(const Allocation& allocation, const History& history) {
    const std::int64_t bytes = SignedBytes(allocation.bytes);
    if (history.IsActiveBehind(allocation, history.peak_event())) {
      peak_bytes += bytes;
      ++peak_count;
    }
    if (allocation.end == kNever) {
      end_bytes += bytes;
      ++end_count;
    }
    if (allocation.begin == kBefore) {
      before_bytes += bytes;
    } else {
      allocated_bytes += bytes;
      ++allocations;
    }
  }
};

template <typename T, typename... Names>
void AddSums(TableOf<T>& table, const Sums& sums, const Names&... names) {
  const T& columns = SchemaOf<T>();
  table.Add({names..., columns.peak_bytes = sums.peak_bytes, columns.peak_count = sums.peak_count,
             columns.end_bytes = sums.end_bytes, columns.end_count = sums.end_count,
             columns.allocated_bytes = sums.allocated_bytes, columns.allocations = sums.allocations,
             columns.before_bytes = sums.before_bytes});
}

struct StackSums {
  Category category = Category::kUnknown;
  Sums sums;
};

// Of each stack of a device with allocations, by number; more than one where annotations tell
// allocations of a stack apart.
std::multimap<std::uint32_t, StackSums> SumsByStack(const Analysis& analysis,
                                                    const History& history) {
  std::multimap<std::uint32_t, StackSums> sums;
  std::vector<StackSums*> of_both(analysis.snapshot().stacks.size() * kCategoryCount);
  for (const Allocation& allocation : history.allocations()) {
    const Category category = analysis.CategoryOf(history, allocation);
    StackSums*& one =
        of_both[allocation.stack * kCategoryCount + static_cast<std::size_t>(category)];
    if (one == nullptr) one = &sums.emplace(allocation.stack, StackSums{category, {}})->second;
    one->sums.Add(allocation, history);
  }
  return sums;
}

}  // namespace

Analysis::Analysis(const snapshot::Snapshot& snapshot, std::optional<std::int64_t> device)
    : snapshot_(snapshot), places_(snapshot) {
  for (const snapshot::Device& one : snapshot.devices) {
    if (!device || *device == one.index) histories_.emplace_back(snapshot, one);
  }
  // "Optimizer.step#AdamW.step", START and END in the order of time.
  for (const snapshot::Annotation& one : snapshot.annotations) {
    if (!snapshot.texts.Get(one.name).starts_with("Optimizer.step#")) continue;
    if (one.is_start) {
      optimizer_steps_.push_back({one.device, one.time_us, kNever});
    } else {
      const auto open = std::find_if(
          optimizer_steps_.rbegin(), optimizer_steps_.rend(),
          [&](const Window& step) { return step.device == one.device && step.end_us == kNever; });
      if (open != optimizer_steps_.rend()) open->end_us = one.time_us;
    }
  }
  std::sort(optimizer_steps_.begin(), optimizer_steps_.end(), [](const Window& a, const Window& b) {
    return std::tie(a.device, a.begin_us) < std::tie(b.device, b.begin_us);
  });
}

Category Analysis::CategoryOf(const History& history, std::uint32_t stack,
                              std::int64_t event) const {
  const Category category = places_.category(stack);
  if (category != Category::kUnknown || event == kBefore) return category;
  const std::int64_t device = history.device().index;
  const std::int64_t time = history.event(event).time_us;
  // The last step that began by then.
  const auto next =
      std::upper_bound(optimizer_steps_.begin(), optimizer_steps_.end(), std::tuple(device, time),
                       [](const auto& at, const Window& step) {
                         return at < std::tuple(step.device, step.begin_us);
                       });
  if (next == optimizer_steps_.begin()) return category;
  const Window& step = *(next - 1);
  return step.device == device && time <= step.end_us ? Category::kOptimizer : category;
}

namespace {

// By the segments and the history themselves where these say it, whatever the settings are: those
// may have been set by the program, and are not written by every version of PyTorch.
std::optional<bool> IsExpandable(const snapshot::Snapshot& snapshot, const History& history) {
  for (const snapshot::Segment& segment : snapshot.segments) {
    if (segment.device == history.device().index && segment.is_expandable.value_or(false))
      return true;
  }
  for (std::int64_t i = 0; i < history.event_count(); ++i) {
    if (history.event(i).action == Action::kSegmentMap) return true;
  }
  return snapshot.settings.expandable_segments;
}

}  // namespace

Table SummaryTable(const Analysis& analysis) {
  const auto& columns = SchemaOf<SnapshotSummary>();
  auto table = columns.NewTable(std::string(SnapshotSummary::kName));
  for (const History& history : analysis.histories()) {
    const std::int64_t events = history.event_count();
    const bool has_events = events > 0;
    PoolSums sums;
    for (const PoolSums& pool : PoolsOf(analysis.snapshot(), history.device().index))
      sums.Merge(pool);
    std::int64_t ooms = 0;
    for (std::int64_t i = 0; i < events; ++i) ooms += history.event(i).action == Action::kOom;
    const std::int64_t begin_us = has_events ? history.event(0).time_us : snapshot::kNoTime;
    const std::optional<bool> expandable = IsExpandable(analysis.snapshot(), history);
    const auto known = [&](std::int64_t value) { return has_events ? Value(value) : Value(kNull); };
    table.Add({columns.device = history.device().index, columns.events = events,
               columns.duration_ns = has_events ? TimeOrNull(history.TimeNs(events - 1)) : kNull,
               columns.begin_us = TimeOrNull(begin_us),
               columns.peak_active_bytes = known(history.peak().active),
               columns.peak_ns = history.peak_event() == kBefore
                                     ? known(0)
                                     : TimeOrNull(history.TimeNs(history.peak_event())),
               columns.peak_reserved_bytes = known(history.peak_reserved()),
               columns.allocated_bytes = history.end().allocated,
               columns.active_bytes = history.end().active, columns.reserved_bytes = sums.reserved,
               columns.rounding_bytes = sums.rounding, columns.split_bytes = sums.split,
               columns.idle_segment_bytes = sums.idle_segments,
               columns.largest_free_bytes = sums.largest_free, columns.segments = sums.segments,
               columns.ooms = ooms, columns.expandable_segments = expandable,
               columns.disagreeing_bytes = known(history.disagreeing_bytes())});
  }
  return table;
}

namespace {

void AddLevels(TableOf<SnapshotTimeline>& table, const History& history, std::int64_t event,
               const Levels& levels) {
  const auto& columns = SchemaOf<SnapshotTimeline>();
  const bool is_before = event == kBefore;
  table.Add(
      {columns.device = history.device().index, columns.event = event,
       columns.time_ns = is_before ? Value(kNull) : TimeOrNull(history.TimeNs(event)),
       columns.action =
           is_before ? std::string_view("before") : NameOf(history.event(event).action),
       columns.bytes = is_before ? Value(kNull) : Value(SignedBytes(history.event(event).bytes)),
       columns.allocated_bytes = levels.allocated, columns.active_bytes = levels.active,
       columns.reserved_bytes = levels.reserved});
}

}  // namespace

// Slices are of time; of events where there is no clock.
Table TimelineTable(const Analysis& analysis, std::optional<std::size_t> most_rows) {
  auto table = SchemaOf<SnapshotTimeline>().NewTable(std::string(SnapshotTimeline::kName));
  for (const History& history : analysis.histories()) {
    const std::int64_t events = history.event_count();
    Levels levels = history.before();
    AddLevels(table, history, kBefore, levels);
    const bool is_sliced = most_rows && static_cast<std::size_t>(events) > *most_rows;
    const Slices slices(history, is_sliced ? *most_rows : 1);
    std::size_t slice = 0;
    Levels most;
    std::int64_t most_event = kBefore;
    for (std::int64_t i = 0; i < events; ++i) {
      if (history.event(i).action == Action::kOther) continue;
      history.Apply(i, levels);
      if (!is_sliced) {
        AddLevels(table, history, i, levels);
        continue;
      }
      if (const std::size_t now = slices.Of(i); now != slice || most_event == kBefore) {
        if (most_event != kBefore) AddLevels(table, history, most_event, most);
        slice = now;
        most = levels;
        most_event = i;
      } else if (levels.active > most.active) {
        most = levels;
        most_event = i;
      }
    }
    if (is_sliced && most_event != kBefore) AddLevels(table, history, most_event, most);
  }
  return table;
}

Table StacksTable(const Analysis& analysis) {
  const auto& columns = SchemaOf<SnapshotStacks>();
  auto table = columns.NewTable(std::string(SnapshotStacks::kName));
  for (const History& history : analysis.histories()) {
    for (const auto& [stack, of_stack] : SumsByStack(analysis, history)) {
      const std::string place = analysis.places().Place(stack);
      const std::string text = analysis.places().Stack(stack);
      AddSums(table, of_stack.sums, columns.device = history.device().index,
              columns.category = ToString(of_stack.category), columns.place = TextOrNull(place),
              columns.stack = TextOrNull(text));
    }
  }
  table.SortBy({{columns.device, false},
                {columns.peak_bytes, true},
                {columns.allocated_bytes, true},
                {columns.stack, false}});
  return table;
}

Table CategoriesTable(const Analysis& analysis) {
  const auto& columns = SchemaOf<SnapshotCategories>();
  auto table = columns.NewTable(std::string(SnapshotCategories::kName));
  for (const History& history : analysis.histories()) {
    std::array<Sums, kCategoryCount> sums;
    for (const Allocation& allocation : history.allocations())
      sums[static_cast<std::size_t>(analysis.CategoryOf(history, allocation))].Add(allocation,
                                                                                   history);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i].allocations == 0 && sums[i].peak_count + sums[i].end_count == 0 &&
          sums[i].before_bytes == 0)
        continue;
      AddSums(table, sums[i], columns.device = history.device().index,
              columns.category = ToString(static_cast<Category>(i)));
    }
  }
  table.SortBy({{columns.device, false}, {columns.peak_bytes, true}});
  return table;
}

Table PeakTable(const Analysis& analysis) {
  const auto& columns = SchemaOf<SnapshotPeak>();
  auto table = columns.NewTable(std::string(SnapshotPeak::kName));
  for (const History& history : analysis.histories()) {
    struct Holder {
      std::int64_t bytes = 0, count = 0;
      std::int64_t begin = kNever, end = kBefore;
      std::int64_t known_ns = 0, known = 0;
    };
    std::map<std::pair<std::uint32_t, Category>, Holder> holders;
    for (const Allocation& allocation : history.allocations()) {
      if (!history.IsActiveBehind(allocation, history.peak_event())) continue;
      Holder& holder = holders[{allocation.stack, analysis.CategoryOf(history, allocation)}];
      holder.bytes += SignedBytes(allocation.bytes);
      ++holder.count;
      holder.begin = std::min(holder.begin, allocation.begin);
      holder.end = std::max(holder.end, allocation.end);
      const std::int64_t begin = history.TimeNs(allocation.begin);
      const std::int64_t end = history.TimeNs(allocation.end);
      if (begin == snapshot::kNoTime || end == snapshot::kNoTime) continue;
      holder.known_ns += end - begin;
      ++holder.known;
    }
    const auto whole = static_cast<double>(history.peak().active);
    for (const auto& [stack_and_category, holder] : holders) {
      const auto& [stack, category] = stack_and_category;
      const std::string place = analysis.places().Place(stack);
      const std::string text = analysis.places().Stack(stack);
      table.Add({columns.device = history.device().index, columns.category = ToString(category),
                 columns.place = TextOrNull(place), columns.bytes = holder.bytes,
                 columns.of_peak_pct =
                     whole > 0 ? Value(100 * static_cast<double>(holder.bytes) / whole) : kNull,
                 columns.count = holder.count,
                 columns.since_ns = TimeOrNull(history.TimeNs(holder.begin)),
                 columns.until_ns = TimeOrNull(history.TimeNs(holder.end)),
                 columns.lifetime_ns =
                     holder.known > 0 ? Value(holder.known_ns / holder.known) : Value(kNull),
                 columns.stack = TextOrNull(text)});
    }
  }
  table.SortBy({{columns.device, false}, {columns.bytes, true}, {columns.stack, false}});
  return table;
}

namespace {

std::string PoolText(const std::int64_t (&pool)[2]) {
  return pool[0] == 0 && pool[1] == 0 ? std::string()
                                      : std::to_string(pool[0]) + "," + std::to_string(pool[1]);
}

bool HasDevice(const Analysis& analysis, std::int64_t device) {
  return std::any_of(analysis.histories().begin(), analysis.histories().end(),
                     [&](const History& one) { return one.device().index == device; });
}

}  // namespace

Table SegmentsTable(const Analysis& analysis) {
  const auto& columns = SchemaOf<SnapshotSegments>();
  const snapshot::Snapshot& snapshot = analysis.snapshot();
  auto table = columns.NewTable(std::string(SnapshotSegments::kName));
  for (const snapshot::Segment& segment : snapshot.segments) {
    if (!HasDevice(analysis, segment.device)) continue;
    PoolSums sums;
    sums.Add(segment, snapshot);
    const std::string pool = PoolText(segment.pool);
    table.Add({columns.device = segment.device, columns.address = SignedBytes(segment.address),
               columns.type = snapshot.texts.Get(segment.type),
               columns.stream = snapshot.streams[segment.stream], columns.pool = TextOrNull(pool),
               columns.expandable = segment.is_expandable, columns.bytes = sums.reserved,
               columns.requested_bytes = sums.requested, columns.rounding_bytes = sums.rounding,
               columns.pending_bytes = sums.pending,
               columns.free_bytes = sums.split + sums.idle_segments,
               columns.largest_free_bytes = sums.largest_free,
               columns.blocks = std::int64_t{segment.block_count},
               columns.free_blocks = sums.free_blocks});
  }
  table.SortBy({{columns.device, false}, {columns.bytes, true}, {columns.address, false}});
  return table;
}

Table BlocksTable(const Analysis& analysis) {
  const auto& columns = SchemaOf<SnapshotBlocks>();
  const snapshot::Snapshot& snapshot = analysis.snapshot();
  auto table = columns.NewTable(std::string(SnapshotBlocks::kName));
  constexpr std::string_view kStates[] = {"allocated", "pending_free", "inactive"};
  for (const snapshot::Segment& segment : snapshot.segments) {
    if (!HasDevice(analysis, segment.device)) continue;
    for (std::uint32_t i = 0; i < segment.block_count; ++i) {
      const snapshot::Block& block = snapshot.blocks[segment.first_block + i];
      const bool is_used = block.state != BlockState::kInactive;
      const std::string place = analysis.places().Place(block.stack);
      table.Add({columns.device = segment.device,
                 columns.category = is_used
                                        ? Value(ToString(analysis.places().category(block.stack)))
                                        : Value(kNull),
                 columns.place = TextOrNull(place), columns.segment = SignedBytes(segment.address),
                 columns.offset = SignedBytes(block.address - segment.address),
                 columns.bytes = SignedBytes(block.bytes),
                 columns.requested_bytes =
                     is_used ? Value(SignedBytes(block.requested_bytes)) : Value(kNull),
                 columns.state = kStates[static_cast<std::size_t>(block.state)]});
    }
  }
  return table;
}

Table FragmentationTable(const Analysis& analysis) {
  const auto& columns = SchemaOf<SnapshotFragmentation>();
  const snapshot::Snapshot& snapshot = analysis.snapshot();
  auto table = columns.NewTable(std::string(SnapshotFragmentation::kName));
  for (const History& history : analysis.histories()) {
    for (const PoolSums& sums : PoolsOf(snapshot, history.device().index)) {
      const std::string pool = PoolText(sums.pool);
      const std::int64_t unused = sums.split + sums.idle_segments;
      table.Add(
          {columns.device = history.device().index, columns.type = snapshot.texts.Get(sums.type),
           columns.stream = snapshot.streams[sums.stream], columns.pool = TextOrNull(pool),
           columns.segments = sums.segments, columns.reserved_bytes = sums.reserved,
           columns.requested_bytes = sums.requested, columns.rounding_bytes = sums.rounding,
           columns.pending_bytes = sums.pending, columns.split_bytes = sums.split,
           columns.idle_segment_bytes = sums.idle_segments, columns.free_blocks = sums.free_blocks,
           columns.largest_free_bytes = sums.largest_free,
           columns.fragmentation_pct =
               unused > 0 ? Value(100 * (1 - static_cast<double>(sums.largest_free) /
                                                 static_cast<double>(unused)))
                          : Value(kNull)});
    }
  }
  table.SortBy({{columns.device, false}, {columns.reserved_bytes, true}});
  return table;
}

namespace {

using Picked = std::vector<std::vector<std::size_t>>;  // by history: rows of its allocations

// The largest allocations of all devices; ties by order.
Picked Largest(const Analysis& analysis, std::optional<std::size_t> most) {
  Picked picked;
  for (const History& history : analysis.histories()) {
    const auto& allocations = history.allocations();
    std::vector<std::size_t>& rows = picked.emplace_back(allocations.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    if (!most || rows.size() <= *most) continue;
    std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(*most), rows.end(),
                     [&](std::size_t a, std::size_t b) {
                       return std::tuple(allocations[b].bytes, a) <
                              std::tuple(allocations[a].bytes, b);
                     });
    rows.resize(*most);
    std::sort(rows.begin(), rows.end());
  }
  return picked;
}

}  // namespace

Table AllocationsTable(const Analysis& analysis, std::optional<std::size_t> most_rows) {
  const auto& columns = SchemaOf<SnapshotAllocations>();
  const snapshot::Snapshot& snapshot = analysis.snapshot();
  auto table = columns.NewTable(std::string(SnapshotAllocations::kName));
  const Picked picked = Largest(analysis, most_rows);
  for (std::size_t h = 0; h < picked.size(); ++h) {
    const History& history = analysis.histories()[h];
    // Texts of a stack are made once.
    std::map<std::uint32_t, std::pair<std::string, std::string>> texts;
    for (const std::size_t row : picked[h]) {
      const Allocation& allocation = history.allocations()[row];
      const auto [text, is_new] = texts.try_emplace(allocation.stack);
      if (is_new)
        text->second = {analysis.places().Place(allocation.stack),
                        analysis.places().Stack(allocation.stack)};
      const bool is_known = allocation.begin != kBefore;
      table.Add(
          {columns.device = history.device().index,
           columns.category = ToString(analysis.CategoryOf(history, allocation)),
           columns.place = TextOrNull(text->second.first),
           columns.address = SignedBytes(allocation.address),
           columns.bytes = SignedBytes(allocation.bytes),
           columns.stream = is_known
                                ? Value(snapshot.streams[history.event(allocation.begin).stream])
                                : Value(kNull),
           columns.begin_ns = TimeOrNull(history.TimeNs(allocation.begin)),
           columns.freed_ns = TimeOrNull(history.TimeNs(allocation.freed)),
           columns.end_ns = TimeOrNull(history.TimeNs(allocation.end)),
           columns.at_peak = history.IsActiveBehind(allocation, history.peak_event()),
           columns.metadata = TextOrNull(std::string(snapshot.texts.Get(allocation.metadata))),
           columns.stack = TextOrNull(text->second.second)});
    }
  }
  return table;
}

Table RestTable(const Analysis& analysis, std::size_t most_rows, std::size_t slices) {
  const auto& columns = SchemaOf<SnapshotTimeline>();
  auto table = columns.NewTable("snapshot_rest");
  const Picked picked = Largest(analysis, most_rows);
  for (std::size_t h = 0; h < picked.size(); ++h) {
    const History& history = analysis.histories()[h];
    const auto& allocations = history.allocations();
    if (picked[h].size() == allocations.size() || history.event_count() == 0) continue;
    std::vector<bool> is_picked(allocations.size());
    for (const std::size_t row : picked[h]) is_picked[row] = true;
    // Changes of the rest by event; begin of what was before is in `level`.
    std::vector<std::int64_t> change(static_cast<std::size_t>(history.event_count()));
    std::int64_t level = 0;
    for (std::size_t row = 0; row < allocations.size(); ++row) {
      if (is_picked[row]) continue;
      const Allocation& allocation = allocations[row];
      const std::int64_t bytes = SignedBytes(allocation.bytes);
      if (allocation.begin == kBefore) {
        level += bytes;
      } else {
        change[static_cast<std::size_t>(allocation.begin)] += bytes;
      }
      if (allocation.end != kNever) change[static_cast<std::size_t>(allocation.end)] -= bytes;
    }
    const Slices of_time(history, slices);
    std::vector<std::int64_t> most(slices, -1);
    std::vector<std::int64_t> first(slices, -1);
    for (std::int64_t i = 0; i < history.event_count(); ++i) {
      const std::size_t slice = of_time.Of(i);
      if (first[slice] < 0) {
        first[slice] = i;
        most[slice] = level;
      }
      level += change[static_cast<std::size_t>(i)];
      most[slice] = std::max(most[slice], level);
    }
    for (std::size_t slice = 0; slice < slices; ++slice) {
      if (first[slice] < 0) continue;
      table.Add({columns.device = history.device().index, columns.event = first[slice],
                 columns.time_ns = TimeOrNull(history.TimeNs(first[slice])),
                 columns.active_bytes = most[slice]});
    }
  }
  return table;
}

}  // namespace rankscope::memory
