#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/device/analyses.h"
#include "analysis/device/host_doing.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/device.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostRows = 10;  // of a cause in a step
// As time_breakdown calls them, in the order of IdleCause.
constexpr std::string_view kCauseNames[kIdleCauseCount] = {
    "idle_host", "idle_data", "idle_sync", "idle_launch", "idle_gap", "idle_stream", "unknown"};

struct Sum {
  std::int64_t gaps = 0;
  std::int64_t total = 0;
  Interval longest;

  void Add(const Sum& other) {
    gaps += other.gaps;
    AddSaturating(total, other.total);
    if (other.longest.end - other.longest.begin > longest.end - longest.begin)
      longest = other.longest;
  }
};

class GapsOfDevice {
 public:
  GapsOfDevice(const RankTrace& trace, const HostDoing& host, const DeviceTime& device,
               TableOf<IdleGaps>& table)
      : trace_(trace), host_(host), device_(device), table_(table) {}

  void Add(const Window& window) {
    for (std::size_t cause = 0; cause < kIdleCauseCount; ++cause) {
      std::map<HostMoment, Sum> sums;
      for (const Interval gap : Intersect(device_.idle[cause], window.intervals))
        sums[host_.MostIn(gap, NextWork(gap.end))].Add({1, gap.end - gap.begin, gap});
      AddRows(window, kCauseNames[cause], sums);
    }
  }

 private:
  // The first to begin then or later.
  Row NextWork(std::int64_t t) const {
    const auto next =
        std::lower_bound(device_.work.begin(), device_.work.end(), t,
                         [&](Row work, std::int64_t at) { return trace_.ts_ns[work] < at; });
    return next == device_.work.end() ? kNoRow : *next;
  }

  void AddRows(const Window& window, std::string_view cause,
               const std::map<HostMoment, Sum>& sums) {
    std::vector<std::pair<HostMoment, Sum>> rows(sums.begin(), sums.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
    const auto text = [&](StringId id) {
      return id == kEmptyString ? Value(kNull) : Value(trace_.strings.Get(id));
    };
    Sum others;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i < kMostRows) {
        AddRow(window, cause, text(rows[i].first.op), rows[i].first, rows[i].second);
      } else {
        others.Add(rows[i].second);
      }
    }
    if (others.gaps > 0) AddRow(window, cause, IdleGaps::kOthers, {}, others);
  }

  void AddRow(const Window& window, std::string_view cause, const Value& op,
              const HostMoment& doing, const Sum& sum) {
    const auto& columns = SchemaOf<IdleGaps>();
    const auto text = [&](StringId id) {
      return id == kEmptyString ? Value(kNull) : Value(trace_.strings.Get(id));
    };
    table_.Add({columns.device = device_.device, columns.step = window.StepValue(),
                columns.cause = cause, columns.host_op = op, columns.host_range = text(doing.range),
                columns.host_call = text(doing.call), columns.host_line = text(doing.line),
                columns.gaps = sum.gaps, columns.total_ns = sum.total,
                columns.share_pct =
                    100 * static_cast<double>(sum.total) / static_cast<double>(window.Duration()),
                columns.longest_ns = sum.longest.end - sum.longest.begin,
                columns.longest_start_ns = SaturatingAdd(trace_.meta.base_ns, sum.longest.begin),
                columns.complete = window.complete});
  }

  const RankTrace& trace_;
  const HostDoing& host_;
  const DeviceTime& device_;
  TableOf<IdleGaps>& table_;
};

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  auto table = SchemaOf<IdleGaps>().NewPartial("idle_gaps");
  const HostDoing host(facts);
  for (const DeviceTime& device : facts.devices()) {
    GapsOfDevice gaps(facts.trace(), host, device, table);
    for (const Window& window : Windows::OfDevice(facts, device, options.steps)) {
      if (window.HasExtent()) gaps.Add(window);
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& IdleGapsAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(IdleGaps::kName),
      .size = Size::kDetail,
      .summary = "idle time of devices by cause, step and what the host did: op, call, line",
      .definition =
          "Idle time of each device (time_breakdown) in the windows of its steps, gap by gap, by "
          "its cause and by what the host did for most of the gap: the thread that launched the "
          "first work behind it, if it was in an op or a call, else that of the launching threads "
          "which was so the longest, else the line of code alone. The rows of a step and cause sum "
          "to its idle time: " +
          std::to_string(kMostRows) +
          " with the most time, the largest first, and the rest in one row.",
      .example = "rankscope table idle_gaps traces/ --steps 12 --ranks 0",
      .columns = SchemaOf<IdleGaps>().columns(),
      .mapper = {.name = "idle_gaps", .tables = {SchemaOf<IdleGaps>().BareColumns()}, .map = Map},
      .reducer =
          JoinRows<IdleGaps>(SchemaOf<IdleGaps>().device, {SchemaOf<IdleGaps>().longest_start_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
