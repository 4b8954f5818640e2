#include "analysis/device/analyses.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/device/host_doing.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "schemas/unknown_gaps.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostRows = 20;
// Shorter ones are told together.
constexpr std::int64_t kLeastGapNs = 50'000;

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

class GapsOfTrace {
 public:
  explicit GapsOfTrace(const TraceFacts& facts) : trace_(facts.trace()), host_(facts) {}

  void AddDevice(const DeviceTime& device, TableOf<UnknownGaps>& table) const {
    const IntervalSet& unknown = device.idle[static_cast<std::size_t>(IdleCause::kUnknown)];
    std::map<HostMoment, Sum> sums;
    auto next = device.work.begin();
    Sum all, others;
    for (const Interval gap : unknown) {
      while (next != device.work.end() && trace_.ts_ns[*next] < gap.end) ++next;
      const Sum one{1, SaturatingSubtract(gap.end, gap.begin), gap};
      (one.total < kLeastGapNs
           ? others
           : sums[host_.MostIn(gap, next == device.work.end() ? kNoRow : *next)])
          .Add(one);
      all.Add(one);
    }
    std::vector<std::pair<HostMoment, Sum>> rows(sums.begin(), sums.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
    for (std::size_t i = kMostRows; i < rows.size(); ++i) others.Add(rows[i].second);
    if (rows.size() > kMostRows) rows.resize(kMostRows);
    const auto& columns = SchemaOf<UnknownGaps>();
    const auto text = [&](StringId id) {
      return id == kEmptyString ? Value(kNull) : Value(trace_.strings.Get(id));
    };
    const auto add = [&](const Value& op, const HostMoment& doing, const Sum& sum) {
      table.Add({columns.device = device.device, columns.host_op = op,
                 columns.host_range = text(doing.range), columns.host_call = text(doing.call),
                 columns.host_line = text(doing.line), columns.gaps = sum.gaps,
                 columns.total_ns = sum.total,
                 columns.share_pct =
                     100 * static_cast<double>(sum.total) / static_cast<double>(all.total),
                 columns.longest_ns = sum.longest.end - sum.longest.begin,
                 columns.longest_start_ns = SaturatingAdd(trace_.meta.base_ns, sum.longest.begin)});
    };
    for (const auto& [doing, sum] : rows) add(text(doing.op), doing, sum);
    if (others.gaps > 0) add(UnknownGaps::kOthers, {}, others);
  }

 private:
  const RankTrace& trace_;
  const HostDoing host_;
};

std::vector<Table> Map(const TraceFacts& facts, const MapOptions&) {
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
                 .version = 3,
                 .tables = {SchemaOf<UnknownGaps>().BareColumns()},
                 .map = Map},
      .reducer = JoinRows<UnknownGaps>(SchemaOf<UnknownGaps>().device,
                                       {SchemaOf<UnknownGaps>().longest_start_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
