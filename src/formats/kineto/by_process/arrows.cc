#include "formats/kineto/by_process/arrows.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <utility>

namespace rankscope::kineto {
namespace {

// Rows around one of which at most so many are open are found.
constexpr int kMostLooked = 64;

// Finds rows of some kind by track and time.
class RowsByTime {
 public:
  RowsByTime(const RankTrace& trace, const std::vector<bool>& is_one) : trace_(trace) {
    for (Row row = 0; row < trace.row_count(); ++row) {
      if (is_one[row]) rows_.push_back(row);
    }
    std::stable_sort(rows_.begin(), rows_.end(), [&](Row a, Row b) {
      if (trace.track[a] != trace.track[b]) return trace.track[a] < trace.track[b];
      if (trace.ts_ns[a] != trace.ts_ns[b]) return trace.ts_ns[a] < trace.ts_ns[b];
      return trace.dur_ns[a] > trace.dur_ns[b];
    });
  }

  // The innermost row that is open at the point; kNoRow.
  Row At(const FlowPoint& point) const {
    const std::pair<std::uint32_t, std::int64_t> key{point.track, point.ts_ns};
    auto after = std::upper_bound(rows_.begin(), rows_.end(), key, [&](const auto& at, Row row) {
      return at < std::pair(trace_.track[row], trace_.ts_ns[row]);
    });
    for (int looked = 0; after != rows_.begin() && looked < kMostLooked; ++looked) {
      const Row row = *--after;
      if (trace_.track[row] != point.track) break;
      if (trace_.ts_ns[row] == point.ts_ns || trace_.end_ns(row) > point.ts_ns) return row;
    }
    return kNoRow;
  }

 private:
  const RankTrace& trace_;
  std::vector<Row> rows_;
};

}  // namespace

void LinkByArrows(UnsortedTrace& unsorted, const ArrowRules& rules) {
  RankTrace& trace = unsorted.trace;
  const auto counts = [&](const FlowPoint& flow) {
    return rules.is_arrow(trace.strings.Get(flow.category));
  };
  if (std::none_of(unsorted.flows.begin(), unsorted.flows.end(), counts)) return;
  const RowsByTime calls(trace, rules.is_call);
  const RowsByTime works(trace, rules.is_work);
  boost::unordered_flat_map<std::pair<StringId, std::int64_t>, Row> starts;
  for (const FlowPoint& flow : unsorted.flows) {
    if (!flow.start || !counts(flow)) continue;
    if (const Row call = calls.At(flow); call != kNoRow)
      starts.insert_or_assign({flow.category, flow.id}, call);
  }
  std::int64_t next_id = rules.first_id;
  for (const FlowPoint& flow : unsorted.flows) {
    if (flow.start || !counts(flow)) continue;
    const auto start = starts.find({flow.category, flow.id});
    const Row work = start == starts.end() ? kNoRow : works.At(flow);
    if (work == kNoRow || trace.correlation[work] > 0) continue;
    std::int64_t& id = trace.correlation[start->second];
    if (id <= 0) id = next_id++;
    trace.correlation[work] = id;
  }
}

}  // namespace rankscope::kineto
