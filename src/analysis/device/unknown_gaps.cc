#include "analysis/device/analyses.h"

#include <vector>

#include "analysis/device/gap_sums.h"
#include "analysis/device/host_doing.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "schemas/unknown_gaps.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostRows = 20;
// Shorter ones are told together.
constexpr std::int64_t kLeastGapNs = 50'000;

class GapsOfTrace {
 public:
  explicit GapsOfTrace(const TraceFacts& facts) : trace_(facts.trace()), host_(facts) {}

  void AddDevice(const DeviceTime& device, TableOf<UnknownGaps>& table) const {
    const IntervalSet& unknown = device.idle[static_cast<std::size_t>(IdleCause::kUnknown)];
    auto next = device.work.begin();
    GapSums sums;
    for (const Interval gap : unknown) {
      while (next != device.work.end() && trace_.ts_ns[*next] < gap.end) ++next;
      if (SaturatingSubtract(gap.end, gap.begin) < kLeastGapNs) {
        sums.AddToOthers(gap);
      } else {
        sums.Add(host_.MostIn(gap, next == device.work.end() ? kNoRow : *next), gap);
      }
    }
    const auto& columns = SchemaOf<UnknownGaps>();
    const auto text = [&](StringId id) { return TextOrNull(trace_.strings.Get(id)); };
    for (const auto& [moment, sum, is_others] : sums.Rows(kMostRows)) {
      table.Add({columns.device = device.device,
                 columns.host_op = is_others ? Value(UnknownGaps::kOthers) : text(moment.op),
                 columns.host_range = text(moment.range), columns.host_call = text(moment.call),
                 columns.host_line = text(moment.line), columns.gaps = sum.gaps,
                 columns.total_ns = sum.total_ns,
                 columns.share_pct = Percent(sum.total_ns, sums.total_ns()),
                 columns.longest_ns = sum.longest_ns(),
                 columns.longest_start_ns = SaturatingAdd(trace_.meta.base_ns, sum.longest.begin)});
    }
  }

 private:
  const RankTrace& trace_;
  const HostDoing host_;
};

std::vector<Table> MapUnknownGaps(const TraceFacts& facts, const MapOptions&) {
  auto table = SchemaOf<UnknownGaps>().NewPartial("unknown_gaps");
  const GapsOfTrace gaps(facts);
  for (const DeviceTime& device : facts.devices()) gaps.AddDevice(device, table);
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& UnknownGapsAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(UnknownGaps::kName),
      .summary = "what hosts did while devices idled for no reason that the trace shows",
      .definition =
          "Idle time of unknown cause (time_breakdown) of the whole recording, gap by gap, by what "
          "the host did for most of the gap: the thread that launched the first work behind it, if "
          "it was in an op or a call, else that of the launching threads which was so the longest, "
          "else, where none was, the line of code alone. "
          "Per device the " +
          std::to_string(kMostRows) +
          " with most time, the largest first; the rest, and gaps under 50 us, in one row.",
      .example = "rankscope table unknown_gaps traces/",
      .columns = SchemaOf<UnknownGaps>().columns(),
      .mapper = {.name = "unknown_gaps",
                 .version = 4,
                 .tables = {SchemaOf<UnknownGaps>().BareColumns()},
                 .map = MapUnknownGaps},
      .reducer = JoinRows<UnknownGaps>(SchemaOf<UnknownGaps>().device,
                                       {SchemaOf<UnknownGaps>().longest_start_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
