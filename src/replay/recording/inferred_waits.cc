#include "replay/recording/inferred_waits.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "base/saturating.h"
#include "table/int_cells.h"

namespace rankscope {
namespace {

// A call cannot have waited for what its thread launches behind it, though both may end in the
// same microsecond: inferred waits that would wait for themselves are taken back. They alone lead
// from a later row to an earlier one, so one of them is part of every ring. O(nodes + edges).
void DropRings(ViewOf<NodePartial> nodes, std::vector<RowEdge>& edges, WaitedUntil& waited_until) {
  const auto& columns = SchemaOf<NodePartial>();
  struct Arrow {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool is_dropped = false;
  };
  std::vector<Arrow> arrows;
  arrows.reserve(edges.size() + nodes.row_count());
  for (const RowEdge& edge : edges) arrows.push_back({edge.from, edge.to});
  const auto leads_back = [](const Arrow& arrow) { return arrow.from >= arrow.to; };
  if (std::none_of(arrows.begin(), arrows.end(), leads_back)) return;
  const auto count = static_cast<std::uint32_t>(nodes.row_count());
  for (std::uint32_t row = 0; row < count; ++row) {
    if (const auto previous = nodes.Known(row, columns.previous))
      arrows.push_back({static_cast<std::uint32_t>(*previous), row});
  }
  std::vector<std::uint32_t> first_behind(count + 1, 0), behind(arrows.size()), pending(count, 0);
  for (const Arrow& arrow : arrows) {
    ++first_behind[arrow.from + 1];
    ++pending[arrow.to];
  }
  std::partial_sum(first_behind.begin(), first_behind.end(), first_behind.begin());
  std::vector<std::uint32_t> next(first_behind.begin(), first_behind.end() - 1);
  std::vector<std::uint32_t> back;
  for (std::uint32_t i = 0; i < arrows.size(); ++i) {
    behind[next[arrows[i].from]++] = i;
    if (leads_back(arrows[i])) back.push_back(i);
  }
  std::sort(back.begin(), back.end(),
            [&](std::uint32_t a, std::uint32_t b) { return arrows[a].to < arrows[b].to; });
  std::vector<bool> is_done(count, false);
  std::vector<std::uint32_t> ready;
  const auto drain = [&] {
    while (!ready.empty()) {
      const std::uint32_t done = ready.back();
      ready.pop_back();
      is_done[done] = true;
      for (std::uint32_t i = first_behind[done]; i < first_behind[done + 1]; ++i) {
        const Arrow& arrow = arrows[behind[i]];
        if (!arrow.is_dropped && --pending[arrow.to] == 0) ready.push_back(arrow.to);
      }
    }
  };
  for (std::uint32_t row = 0; row < count; ++row) {
    if (pending[row] == 0) ready.push_back(row);
  }
  drain();
  // The first row that is not done has all before it done: what holds it up leads back.
  for (const std::uint32_t i : back) {
    if (is_done[arrows[i].from] || is_done[arrows[i].to]) continue;
    arrows[i].is_dropped = true;
    waited_until.erase(arrows[i].to);
    if (--pending[arrows[i].to] > 0) continue;
    ready.push_back(arrows[i].to);
    drain();
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!arrows[i].is_dropped) edges[kept++] = edges[i];
  }
  edges.resize(kept);
}

using Ends = std::vector<std::pair<std::int64_t, std::uint32_t>>;  // and rows, ascending

Ends EndsOf(std::span<const std::uint32_t> rows, std::span<const std::int64_t> end) {
  Ends ends;
  for (const std::uint32_t row : rows) ends.emplace_back(end[row], row);
  std::sort(ends.begin(), ends.end());
  return ends;
}

// A thread that does one thing of its own until right behind the end of an exchange of another
// thread waited for that.
void WaitForExchanges(ViewOf<NodePartial> nodes, std::span<const Work> work,
                      std::span<const std::int64_t> end, const Ends& exchanges,
                      std::vector<RowEdge>& edges, WaitedUntil& waited_until) {
  const auto& columns = SchemaOf<NodePartial>();
  if (exchanges.empty()) return;
  for (std::size_t row = 0; row < work.size(); ++row) {
    const bool may_wait = work[row] == Work::kPython || work[row] == Work::kOp;
    if (!may_wait || nodes.Int(row, columns.duration_ns) < kLeastHostWaitNs) continue;
    const std::int64_t begin = nodes.Int(row, columns.begin_ns);
    auto last =
        std::upper_bound(exchanges.begin(), exchanges.end(), std::pair(end[row], UINT32_MAX));
    if (last == exchanges.begin()) continue;
    --last;
    const auto [until, exchange] = *last;
    const std::int64_t most = std::min(kHostHandoverNs, (end[row] - begin) / 2);
    if (end[row] - until > most ||
        nodes.Int(exchange, columns.track) == nodes.Int(row, columns.track))
      continue;
    waited_until[row] = until;
    edges.push_back({exchange, static_cast<std::uint32_t>(row), 0, DependencyKind::kThread});
  }
}

}  // namespace

WaitedUntil InferWaits(ViewOf<NodePartial> nodes, std::span<const Work> work,
                       std::span<const std::uint32_t> of_host_threads,
                       std::vector<RowEdge>& edges) {
  const auto& columns = SchemaOf<NodePartial>();
  const IntCells begin_of(nodes, columns.begin_ns), duration_of(nodes, columns.duration_ns),
      previous_of(nodes, columns.previous), track_of(nodes, columns.track);
  const std::size_t count = nodes.row_count();
  std::vector<std::int64_t> end(count), ready(count, INT64_MIN);
  std::vector<std::pair<std::int64_t, std::uint32_t>> by_end;  // device work
  for (std::size_t row = 0; row < count; ++row) {
    const std::optional<std::int64_t> previous = previous_of.Known(row);
    end[row] = SaturatingAdd(begin_of.Int(row), duration_of.Int(row));
    if (previous) ready[row] = end[static_cast<std::size_t>(*previous)];
  }
  const Ends exchanges = EndsOf(of_host_threads, end);
  const boost::unordered_flat_set<std::uint32_t> of_host(of_host_threads.begin(),
                                                         of_host_threads.end());
  for (std::uint32_t row = 0; row < count; ++row) {
    if (IsDevice(work[row]) && !of_host.contains(row)) by_end.emplace_back(end[row], row);
  }
  for (const RowEdge& edge : edges)
    ready[edge.to] = std::max(ready[edge.to], SaturatingAdd(end[edge.from], edge.lag_ns));
  std::sort(by_end.begin(), by_end.end());
  WaitedUntil waited_until;
  WaitForExchanges(nodes, work, end, exchanges, edges, waited_until);
  // The latest end up to t, `handover` before at most, of work that `is_one`.
  const auto ended_by = [&](std::int64_t t, std::int64_t handover,
                            const auto& is_one) -> std::optional<std::uint32_t> {
    auto before = std::upper_bound(by_end.begin(), by_end.end(),
                                   std::pair(SaturatingAdd(t, kClockToleranceNs), UINT32_MAX));
    while (before != by_end.begin() && t - (before - 1)->first <= handover) {
      --before;
      if (is_one(before->second)) return before->second;
    }
    return std::nullopt;
  };
  for (std::size_t row = 0; row < count; ++row) {
    if (work[row] != Work::kSyncCall || duration_of.Int(row) <= kUnexplainedWaitNs) continue;
    // A call that waits is over when what it waited for is.
    const std::int64_t begin = begin_of.Int(row);
    const auto from =
        ended_by(end[row], kHandoverNs, [&](std::uint32_t other) { return end[other] > begin; });
    if (!from) continue;
    waited_until[row] = std::min(end[*from], end[row]);
    edges.push_back({*from, static_cast<std::uint32_t>(row),
                     static_cast<std::int32_t>(std::min<std::int64_t>(0, end[row] - end[*from])),
                     DependencyKind::kSync});
  }
  for (const auto& [t, row] : by_end) {
    const std::int64_t begin = begin_of.Int(row);
    if (ready[row] == INT64_MIN || SaturatingSubtract(begin, ready[row]) <= kUnexplainedWaitNs)
      continue;
    const std::uint32_t waiting = row;
    const auto is_on_another = [&](std::uint32_t other) {
      return other < waiting && track_of.Int(other) != track_of.Int(waiting);
    };
    auto from = ended_by(begin, kHandoverNs, is_on_another);
    if (!from) {
      const std::int64_t unexplained = SaturatingSubtract(begin, ready[row]);
      from = ended_by(begin, std::min(kMostHandoverNs, unexplained / kHandoverParts),
                      [&](std::uint32_t other) {
                        return work[other] == Work::kCommunication && is_on_another(other);
                      });
    }
    if (from)
      edges.push_back(
          {*from, row, static_cast<std::int32_t>(begin - end[*from]), DependencyKind::kEventWait});
  }
  DropRings(nodes, edges, waited_until);
  return waited_until;
}

}  // namespace rankscope
