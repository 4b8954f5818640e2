#include <algorithm>
#include <vector>

#include "analysis/device/analyses.h"
#include "analysis/device/gap_sums.h"
#include "analysis/device/host_doing.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/device.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostGapRows = 10;  // of a cause in a step
// As time_breakdown calls them, in the order of IdleCause.
constexpr std::string_view kPartNames[kIdleCauseCount] = {
    "idle_host", "idle_data", "idle_sync", "idle_launch", "idle_gap", "idle_stream", "unknown"};

class GapsOfDevice {
 public:
  GapsOfDevice(const RankTrace& trace, const HostDoing& host, const DeviceTime& device,
               TableOf<IdleGaps>& table)
      : trace_(trace), host_(host), device_(device), table_(table) {}

  void Add(const Window& window) {
    for (std::size_t cause = 0; cause < kIdleCauseCount; ++cause) {
      GapSums sums;
      for (const Interval gap : Intersect(device_.idle[cause], window.intervals))
        sums.Add(host_.MostIn(gap, NextWork(gap.end)), gap);
      for (const GapSums::Row& row : sums.Rows(kMostGapRows))
        AddRow(window, kPartNames[cause], row);
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

  void AddRow(const Window& window, std::string_view cause, const GapSums::Row& row) {
    const auto& columns = SchemaOf<IdleGaps>();
    const auto text = [&](StringId id) { return TextOrNull(trace_.strings.Get(id)); };
    const auto& [moment, sum, is_others] = row;
    table_.Add({columns.device = device_.device, columns.step = window.StepValue(),
                columns.cause = cause,
                columns.host_op = is_others ? Value(IdleGaps::kOthers) : text(moment.op),
                columns.host_range = text(moment.range), columns.host_call = text(moment.call),
                columns.host_line = text(moment.line), columns.gaps = sum.gaps,
                columns.total_ns = sum.total_ns,
                columns.share_pct = Percent(sum.total_ns, window.Duration()),
                columns.longest_ns = sum.longest_ns(),
                columns.longest_start_ns = SaturatingAdd(trace_.meta.base_ns, sum.longest.begin),
                columns.complete = window.complete});
  }

  const RankTrace& trace_;
  const HostDoing& host_;
  const DeviceTime& device_;
  TableOf<IdleGaps>& table_;
};

std::vector<Table> MapIdleGaps(const TraceFacts& facts, const MapOptions& options) {
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
          std::to_string(kMostGapRows) +
          " with the most time, the largest first, and the rest in one row.",
      .example = "rankscope table idle_gaps traces/ --steps 12 --ranks 0",
      .columns = SchemaOf<IdleGaps>().columns(),
      .mapper = {.name = "idle_gaps",
                 .version = 2,
                 .tables = {SchemaOf<IdleGaps>().BareColumns()},
                 .map = MapIdleGaps},
      .reducer =
          JoinRows<IdleGaps>(SchemaOf<IdleGaps>().device, {SchemaOf<IdleGaps>().longest_start_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
