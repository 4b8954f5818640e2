#include "trace/link.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>

#include "trace/cut_work.h"
#include "trace/graph_captures.h"
#include "trace/launch_index.h"
#include "trace/nesting.h"
#include "trace/steps.h"

namespace rankscope {
namespace {

// Over rows with an extent; the profiler's own mark over the recording (category "Trace") is not
// part of the program. Samples of its stacks are taken beside the recording, and calls that were
// set aside (stray_calls.h) outside of it.
void FindBounds(RankTrace& trace) {
  std::vector<std::uint8_t> is_profiler;
  for (const StringId id : trace.categories)
    is_profiler.push_back(trace.strings.Get(id) == "Trace");
  bool any = false;
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.dur_ns[row] == kNoDuration || is_profiler[trace.category[row]] ||
        !CountsForBounds(trace.kind[row], trace.track_of(row).domain))
      continue;
    const std::int64_t begin = trace.ts_ns[row];
    const std::int64_t end = trace.end_ns(row);
    trace.begin_ns = any ? std::min(trace.begin_ns, begin) : begin;
    trace.finish_ns = any ? std::max(trace.finish_ns, end) : end;
    any = true;
  }
}

void FindParents(RankTrace& trace) {
  trace.parent.assign(trace.row_count(), kNoRow);
  std::vector<Row> open;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost && track.domain != Domain::kDeviceAnnotation) continue;
    open.clear();
    for (Row row = track.begin; row < track.end; ++row) {
      const std::int64_t begin = trace.ts_ns[row];
      const std::int64_t end = trace.end_ns(row);
      while (!open.empty() && IsOver(trace.end_ns(open.back()), begin, end)) open.pop_back();
      if (!open.empty()) trace.parent[row] = open.back();
      if (trace.dur_ns[row] > 0) open.push_back(row);
    }
  }
}

bool IsLaunchName(std::string_view name) {
  return name.find("LaunchKernel") != std::string_view::npos ||
         name.find("GraphLaunch") != std::string_view::npos;
}

// Sorts pairs by `from`, keeping the order of equal ones: by counting, since rows are dense.
void SortByFirst(Column<RowPair>& pairs, std::size_t rows) {
  std::vector<std::uint32_t> next(rows + 1, 0);
  for (const RowPair& pair : pairs) ++next[pair.from + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  Column<RowPair> sorted;
  RowPair* to = sorted.extend(pairs.size());
  for (const RowPair& pair : pairs) to[next[pair.from]++] = pair;
  pairs = std::move(sorted);
}

void LinkLaunches(RankTrace& trace, const LaunchIndex& launches, QualityLog& quality) {
  trace.link.assign(trace.row_count(), kNoRow);
  std::int64_t orphans = 0;
  for (const Track& track : trace.tracks) {
    if (track.domain == Domain::kHost || track.domain == Domain::kOther) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.correlation[row] <= 0) continue;
      const Row launch = launches.LaunchOf(row);
      if (launch == kNoRow) {
        orphans += IsDeviceWork(trace.kind[row]);
        continue;
      }
      trace.link[row] = launch;
      if (IsDeviceWork(trace.kind[row])) trace.launch_kernels.push_back({launch, row});
    }
  }
  SortByFirst(trace.launch_kernels, trace.row_count());
  for (const RowPair& pair : trace.launch_kernels) {
    Row& first = trace.link[pair.from];
    if (first == kNoRow || trace.ts_ns[pair.to] < trace.ts_ns[first]) first = pair.to;
  }

  std::vector<std::uint8_t> is_launch(trace.strings.size(), 0);
  for (StringId id = 0; id < trace.strings.size(); ++id)
    is_launch[id] = IsLaunchName(trace.strings.Get(id));
  std::int64_t childless = 0;
  bool has_calls = false;
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (!CountsForBounds(trace.kind[row], trace.track_of(row).domain)) continue;
    has_calls |= trace.kind[row] == EventKind::kRuntime;
    childless += trace.kind[row] == EventKind::kRuntime && is_launch[trace.name[row]] &&
                 trace.link[row] == kNoRow;
  }
  for (const GraphCapture& capture : FindGraphCaptures(trace)) {
    childless -= std::count_if(capture.nodes.begin(), capture.nodes.end(),
                               [&](Row node) { return is_launch[trace.name[node]] != 0; });
  }
  if (orphans > 0) {
    quality.Add(QualityCode::kUnmatchedLaunch, -1,
                has_calls
                    ? "device work whose launching call is not in the file; it began before the "
                      "recording or records were dropped"
                    : "device work of unknown launch: calls of the device API were not recorded",
                orphans);
  }
  if (childless > 0) {
    quality.Add(QualityCode::kUnmatchedLaunch, -1,
                "launches whose device work is not in the file; it ended after the recording or "
                "records were dropped",
                childless);
  }
}

void LinkWaits(RankTrace& trace, const LaunchIndex& launches) {
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] != EventKind::kDeviceSync || trace.aux[row] == kNoAux) continue;
    const std::int64_t id = trace.syncs[trace.aux[row]].record_correlation;
    if (id <= 0) continue;
    const Row wait = trace.link[row];
    const Row record =
        wait == kNoRow ? launches.Find(id) : launches.FindInProcess(launches.ProcessOf(wait), id);
    if (record != kNoRow) trace.record_wait.push_back({record, row});
  }
  std::sort(trace.record_wait.begin(), trace.record_wait.end(),
            [](const RowPair& a, const RowPair& b) {
              return a.from != b.from ? a.from < b.from : a.to < b.to;
            });
}

void NoteCollectiveRows(RankTrace& trace) {
  if (trace.collectives.empty()) return;
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.aux[row] == kNoAux) continue;
    std::uint32_t collective = kNoAux;
    if (trace.kind[row] == EventKind::kKernel)
      collective = trace.kernels[trace.aux[row]].collective;
    if (trace.kind[row] == EventKind::kCpuOp || trace.kind[row] == EventKind::kUserAnnotation) {
      collective = trace.ops[trace.aux[row]].collective;
    }
    if (collective != kNoAux) trace.collectives[collective].row = row;
  }
}

// The op that an arrow's end at (track, ts) means: the innermost op that begins there.
Row OpAt(const RankTrace& trace, const FlowPoint& point) {
  const Track& track = trace.tracks[point.track];
  const auto* begin = trace.ts_ns.data() + track.begin;
  const auto* end = trace.ts_ns.data() + track.end;
  Row found = kNoRow;
  for (const auto* at = std::lower_bound(begin, end, point.ts_ns); at != end && *at == point.ts_ns;
       ++at) {
    const auto row = static_cast<Row>(at - trace.ts_ns.data());
    if (trace.kind[row] == EventKind::kCpuOp) found = row;
  }
  return found;
}

void LinkByFlows(RankTrace& trace, std::span<const FlowPoint> flows) {
  boost::unordered_flat_map<std::int64_t, Row> starts;
  for (const FlowPoint& flow : flows) {
    if (flow.forward_backward && flow.start) {
      if (const Row op = OpAt(trace, flow); op != kNoRow) starts[flow.id] = op;
    }
  }
  for (const FlowPoint& flow : flows) {
    if (!flow.forward_backward || flow.start) continue;
    const auto start = starts.find(flow.id);
    if (start == starts.end()) continue;
    if (const Row op = OpAt(trace, flow); op != kNoRow)
      trace.forward_backward.push_back({start->second, op});
  }
}

// A backward op names the thread of its forward op ("Fwd thread id" > 0) and carries the same
// sequence number. The outermost op of each side stands for it.
void LinkBySequence(RankTrace& trace) {
  boost::unordered_flat_map<std::int64_t, Row> forward;
  const auto visit = [&](bool want_backward, auto&& use) {
    for (Row row = 0; row < trace.row_count(); ++row) {
      if (trace.kind[row] != EventKind::kCpuOp || trace.aux[row] == kNoAux) continue;
      const OpArgs& args = trace.ops[trace.aux[row]];
      if (args.sequence_number >= 0 && (args.forward_thread > 0) == want_backward)
        use(row, args.sequence_number);
    }
  };
  visit(false, [&](Row row, std::int64_t number) { forward.emplace(number, row); });
  boost::unordered_flat_map<std::int64_t, bool> seen;
  visit(true, [&](Row row, std::int64_t number) {
    const auto found = forward.find(number);
    if (found != forward.end() && seen.emplace(number, true).second) {
      trace.forward_backward.push_back({found->second, row});
    }
  });
}

void LinkForwardBackward(RankTrace& trace, std::span<const FlowPoint> flows) {
  const bool has_flows = std::any_of(flows.begin(), flows.end(),
                                     [](const FlowPoint& f) { return f.forward_backward; });
  if (has_flows) {
    LinkByFlows(trace, flows);
  } else {
    LinkBySequence(trace);
  }
  std::sort(trace.forward_backward.begin(), trace.forward_backward.end(),
            [](const RowPair& a, const RowPair& b) {
              return a.from != b.from ? a.from < b.from : a.to < b.to;
            });
}

}  // namespace

void LinkTrace(RankTrace& trace, std::span<const FlowPoint> flows,
               std::span<const StatedStep> stated, QualityLog& quality) {
  FindParents(trace);
  const LaunchIndex launches(trace);
  LinkLaunches(trace, launches, quality);
  LinkWaits(trace, launches);
  CutImpossibleWork(trace, quality);
  NoteCollectiveRows(trace);
  LinkForwardBackward(trace, flows);
  FindBounds(trace);
  FindSteps(trace, stated, quality);
}

}  // namespace rankscope
