#include "analysis/memory/analyses.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/memory/highest_devices.h"
#include "analysis/memory/memory_owners.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/memory.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

constexpr std::string_view kBefore = "(before the recording)";
constexpr std::string_view kOtherOwners = "(others)";

struct MemoryAtPeakSum {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};
using MemoryAtPeakKey =
    std::tuple<std::string_view, std::string_view, std::string_view, std::string>;
using Groups = std::map<MemoryAtPeakKey, MemoryAtPeakSum>;

std::string_view NameOf(const RankTrace& trace, Row row) {
  return row == kNoRow ? std::string_view() : trace.name_of(row);
}

Groups LiveAt(const RankTrace& trace, const MemoryDevice& device, const Peak& peak,
              const MemoryOwners& owners, std::int64_t frames) {
  Groups groups;
  for (const Allocation& allocation : device.allocations) {
    if (!allocation.IsLiveAfter(peak.events)) continue;
    const MemoryEvent& event = device.events[allocation.begin];
    const MemoryOwner& owner = owners.Of(event.row);
    MemoryAtPeakSum& sum =
        groups[{NameOf(trace, owner.op), NameOf(trace, owner.annotation),
                NameOf(trace, owner.module), StackText(trace, owner.frame, frames)}];
    ++sum.count;
    AddSaturating(sum.bytes, event.bytes);
  }
  return groups;
}

// The highest level over all windows, the earliest where several reach it.
Peak PeakOf(const MemoryDevice& device, const Windows& windows, const RankTrace& trace) {
  Peak highest;
  for (const Window& window : windows) {
    const Peak peak = device.PeakIn(window.intervals, trace);
    if (peak.bytes > highest.bytes || (peak.bytes == highest.bytes && peak.t < highest.t))
      highest = peak;
  }
  return highest;
}

class Rows {
 public:
  // `total`: the bytes of all rows.
  Rows(TableOf<MemoryAtPeak>& table, const MemoryDevice& device, std::int64_t total,
       std::int64_t ts_ns)
      : table_(table),
        type_(DeviceTypeName(device.type)),
        id_(device.IdValue()),
        total_(static_cast<double>(total)),
        ts_ns_(ts_ns) {}

  void Add(const MemoryAtPeakKey& key, Value count, std::int64_t bytes) {
    const auto& [op, annotation, module, stack] = key;
    const auto text = [](std::string_view name) {
      return name.empty() ? Value(kNull) : Value(name);
    };
    const Value share =
        total_ > 0 ? Value(100 * static_cast<double>(bytes) / total_) : Value(kNull);
    const auto& columns = SchemaOf<MemoryAtPeak>();
    table_.Add({columns.device_type = type_, columns.device = id_, columns.peak_ts_ns = ts_ns_,
                columns.op = text(op), columns.annotation = text(annotation),
                columns.module = text(module), columns.stack = text(stack), columns.count = count,
                columns.bytes = bytes, columns.share_pct = share});
  }

 private:
  TableOf<MemoryAtPeak>& table_;
  std::string type_;
  Value id_;
  double total_;
  std::int64_t ts_ns_;
};

std::int64_t BytesOf(const Groups& groups) {
  std::int64_t bytes = 0;
  for (const auto& [key, sum] : groups) AddSaturating(bytes, sum.bytes);
  return bytes;
}

void AddGroups(const Groups& groups, std::size_t limit, Rows& rows) {
  std::vector<const Groups::value_type*> largest;
  largest.reserve(groups.size());
  for (const auto& group : groups) largest.push_back(&group);
  std::stable_sort(largest.begin(), largest.end(),
                   [](const auto* a, const auto* b) { return a->second.bytes > b->second.bytes; });
  MemoryAtPeakSum others;
  for (std::size_t i = 0; i < largest.size(); ++i) {
    const auto& [key, sum] = *largest[i];
    if (i < limit) {
      rows.Add(key, sum.count, sum.bytes);
    } else {
      others.count += sum.count;
      AddSaturating(others.bytes, sum.bytes);
    }
  }
  if (others.count > 0) rows.Add({kOtherOwners, {}, {}, {}}, others.count, others.bytes);
}

std::vector<Table> MapMemoryAtPeak(const TraceFacts& facts, const MapOptions& options) {
  auto table = SchemaOf<MemoryAtPeak>().NewPartial("memory_at_peak");
  const RankTrace& trace = facts.trace();
  if (facts.memory().empty()) return MoveTables(std::move(table));
  const Windows windows = Windows::OfHost(facts, options.steps);
  const MemoryOwners owners(trace);
  const std::int64_t frames = CountOption(options.values, "frames");
  const auto limit = static_cast<std::size_t>(CountOption(options.values, "groups"));
  for (const MemoryDevice& device : facts.memory()) {
    const Peak peak = PeakOf(device, windows, trace);
    if (peak.bytes < 0) continue;
    const Groups groups = LiveAt(trace, device, peak, owners, frames);
    const std::int64_t known = BytesOf(groups);
    Rows rows(table, device, std::max(known, peak.bytes), trace.meta.base_ns + peak.t);
    AddGroups(groups, limit, rows);
    if (peak.bytes > known) rows.Add({kBefore, {}, {}, {}}, kNull, peak.bytes - known);
  }
  return MoveTables(std::move(table));
}

struct MemoryAtPeakState {
  explicit MemoryAtPeakState(const Options& options)
      : highest(CountOption(options, "devices"), SchemaOf<MemoryAtPeak>(),
                SchemaOf<MemoryAtPeak>().bytes, HighestDevices::Level::kSum) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    highest.Add(capture, std::move(tables.front()));
    return OkStatus();
  }
  void Merge(MemoryAtPeakState&& other) { highest.Merge(std::move(other.highest)); }
  Result<Table> Finish(const JobContext& job) {
    const auto& columns = SchemaOf<MemoryAtPeak>();
    PerCapture<Table> rows = highest.TakeRows();
    auto table = JoinedRows<MemoryAtPeak>(rows, job, columns.device, {columns.peak_ts_ns});
    table.SortBy({{columns.rank},
                  {columns.capture},
                  {columns.device_type},
                  {columns.device},
                  {columns.bytes, true}});
    return table;
  }

  HighestDevices highest;
};

}  // namespace

const Analysis& MemoryAtPeakAnalysis() {
  static const Analysis kAnalysis = {
      .name = "memory_at_peak",
      .size = Size::kDetail,
      .summary = "what holds the memory of each device when it is highest",
      .definition =
          "The allocations that are live when the allocated bytes of a rank's device are highest "
          "in the steps asked for, the first time that they are (memory_peaks), grouped by what "
          "was open on the allocating thread at the allocation: the innermost op, the innermost "
          "record_function range, and, where Python was recorded (with_stack, with_modules), the "
          "innermost module and the innermost frames. Which free ends an allocation is said in "
          "memory_outliving. \"(before the recording)\" is what the allocator states beyond all "
          "that is known: parameters and whatever else was allocated earlier, and instants without "
          "an address. Where frees were lost, more is known than is stated. What the backward pass "
          "allocates belongs to the autograd thread, which has no Python frames. Per device the "
          "`groups` that hold most are rows of their own.",
      .example = "rankscope table memory_at_peak traces/ --ranks 0 --set frames=3",
      .columns = SchemaOf<MemoryAtPeak>().columns(),
      .options = {{"devices", "0",
                   "of each device type the devices that hold most, so many; 0 = all",
                   OptionType::kCount}},
      .mapper = {.name = "memory_at_peak",
                 .version = 2,
                 .options = {{"frames", "5",
                              "so many innermost Python frames make a stack; 0 = none",
                              OptionType::kCount},
                             {"groups", "500", "so many groups per device", OptionType::kCount}},
                 .tables = {SchemaOf<MemoryAtPeak>().BareColumns()},
                 .map = MapMemoryAtPeak},
      .reducer = ReduceBy<MemoryAtPeakState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
