#include "analysis/device/analyses.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/saturating.h"
#include "facts/places/code_places.h"
#include "facts/trace_facts.h"
#include "graph/innermost_rows.h"
#include "schemas/unknown_gaps.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostRows = 20;
// Shorter ones are told together.
constexpr std::int64_t kLeastGapNs = 50'000;
constexpr std::size_t kMostThreads = 8;

// What a host thread does at an instant; kEmptyString: nothing of the kind.
struct Doing {
  StringId op = kEmptyString;
  StringId range = kEmptyString;
  StringId call = kEmptyString;
  StringId line = kEmptyString;
  auto Key() const { return std::tie(op, range, call, line); }
  bool operator<(const Doing& other) const { return Key() < other.Key(); }
};

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
  explicit GapsOfTrace(const TraceFacts& facts) : trace_(facts.trace()) {
    std::map<std::uint32_t, std::size_t> launches;
    for (const DeviceTime& device : facts.devices()) {
      for (const Row row : device.work) {
        if (const Row launch = trace_.link[row]; launch != kNoRow) ++launches[trace_.track[launch]];
      }
    }
    for (const auto& [track, count] : launches) threads_.push_back(track);
    std::stable_sort(threads_.begin(), threads_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return launches[a] > launches[b]; });
    if (threads_.size() > kMostThreads) threads_.resize(kMostThreads);
  }

  void AddDevice(const DeviceTime& device, TableOf<UnknownGaps>& table) const {
    const IntervalSet& unknown = device.idle[static_cast<std::size_t>(IdleCause::kUnknown)];
    std::map<Doing, Sum> sums;
    auto next = device.work.begin();
    Sum all, others;
    for (const Interval gap : unknown) {
      while (next != device.work.end() && trace_.ts_ns[*next] < gap.end) ++next;
      const Row launch = next == device.work.end() ? kNoRow : trace_.link[*next];
      const Sum one{1, SaturatingSubtract(gap.end, gap.begin), gap};
      (one.total < kLeastGapNs
           ? others
           : sums[MostIn(gap, launch == kNoRow ? kNoAux : trace_.track[launch])])
          .Add(one);
      all.Add(one);
    }
    std::vector<std::pair<Doing, Sum>> rows(sums.begin(), sums.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
    for (std::size_t i = kMostRows; i < rows.size(); ++i) others.Add(rows[i].second);
    if (rows.size() > kMostRows) rows.resize(kMostRows);
    const auto& columns = SchemaOf<UnknownGaps>();
    const auto text = [&](StringId id) {
      return id == kEmptyString ? Value(kNull) : Value(trace_.strings.Get(id));
    };
    const auto add = [&](const Value& op, const Doing& doing, const Sum& sum) {
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
  // What the host does for most of the gap: the thread that ends it, where that one is in an op or
  // a call; else the thread that is so the longest.
  Doing MostIn(Interval gap, std::uint32_t ending) const {
    Doing found;
    std::int64_t longest = 0;
    const auto look_at = [&](std::uint32_t thread) {
      const auto [doing, time] = MostOf(gap, thread);
      if ((doing.op == kEmptyString && doing.call == kEmptyString) || time <= longest) return false;
      found = doing;
      longest = time;
      return true;
    };
    if (ending != kNoAux && look_at(ending)) return found;
    for (const std::uint32_t thread : threads_) look_at(thread);
    return found;
  }

  std::pair<Doing, std::int64_t> MostOf(Interval gap, std::uint32_t thread) const {
    std::map<Doing, std::int64_t> times;
    ForEachInnermostIn(trace_, thread, gap, [&](std::int64_t begin, std::int64_t end, Row row) {
      AddSaturating(times[DoingAt(row)], SaturatingSubtract(end, begin));
    });
    return *std::max_element(times.begin(), times.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
  }

  Doing DoingAt(Row row) const {
    Doing doing;
    if (row != kNoRow && trace_.kind[row] == EventKind::kRuntime) doing.call = trace_.name[row];
    for (; row != kNoRow; row = trace_.parent[row]) {
      const EventKind kind = trace_.kind[row];
      if (kind == EventKind::kCpuOp) {
        doing.op = trace_.name[row];
      } else if (kind == EventKind::kUserAnnotation && doing.range == kEmptyString &&
                 !trace_.name_of(row).starts_with("ProfilerStep#")) {
        doing.range = trace_.name[row];
      } else if (doing.line == kEmptyString && IsUsersFunction(trace_, row)) {
        doing.line = trace_.name[row];
      }
    }
    return doing;
  }

  const RankTrace& trace_;
  std::vector<std::uint32_t> threads_;  // that launch, the busiest first
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
          "it was in an op or a call, else that of the launching threads which was so the longest. "
          "Per device the " +
          std::to_string(kMostRows) +
          " with most time, the largest first; the rest, and gaps under 50 us, in one row.",
      .example = "rankscope table unknown_gaps traces/",
      .columns = SchemaOf<UnknownGaps>().columns(),
      .mapper = {.name = "unknown_gaps",
                 .tables = {SchemaOf<UnknownGaps>().BareColumns()},
                 .map = Map},
      .reducer = JoinRows<UnknownGaps>(SchemaOf<UnknownGaps>().device,
                                       {SchemaOf<UnknownGaps>().longest_start_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
