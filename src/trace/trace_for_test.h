// For tests: a trace made by hand, row by row. Rows are told by the order in which they were added,
// which is their `source`.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/builder.h"

namespace rankscope {

class TestTrace {
 public:
  // The id of a timeline: host threads are (1, tid), streams (0, stream).
  std::uint32_t Track(Domain domain, std::int64_t second) {
    return Track(domain, domain == Domain::kHost ? 1 : 0, second);
  }
  std::uint32_t Track(Domain domain, std::int64_t first, std::int64_t second) {
    const TrackKey key{.first = first, .second = second, .domain = domain};
    const auto [place, is_new] =
        scope.track_ids.emplace(key, static_cast<std::uint32_t>(scope.tracks.size()));
    if (is_new) scope.tracks.push_back(key);
    return place->second;
  }

  RawRow& Add(EventKind kind, std::uint32_t track, std::string_view name, std::int64_t ts,
              std::int64_t dur) {
    RawRow row;
    row.ts_ns = ts;
    row.dur_ns = dur;
    row.name = scope.strings.Intern(name);
    row.track = track;
    row.kind = kind;
    row.source = static_cast<std::uint32_t>(batch.event_count++);
    batch.rows.push_back(row);
    return batch.rows.back();
  }
  RawRow& Op(std::string_view name, std::int64_t ts, std::int64_t dur, std::int64_t tid = 1) {
    return Add(EventKind::kCpuOp, Track(Domain::kHost, tid), name, ts, dur);
  }
  RawRow& Annotation(std::string_view name, std::int64_t ts, std::int64_t dur,
                     std::int64_t tid = 1) {
    return Add(EventKind::kUserAnnotation, Track(Domain::kHost, tid), name, ts, dur);
  }
  RawRow& Call(std::string_view name, std::int64_t ts, std::int64_t dur, std::int64_t correlation,
               std::int64_t tid = 1) {
    RawRow& row = Add(EventKind::kRuntime, Track(Domain::kHost, tid), name, ts, dur);
    row.correlation = correlation;
    return row;
  }
  RawRow& Kernel(std::int64_t ts, std::int64_t dur, std::int64_t correlation,
                 std::int64_t stream = 7) {
    RawRow& row = Add(EventKind::kKernel, Track(Domain::kDevice, stream), "kernel", ts, dur);
    row.correlation = correlation;
    return row;
  }
  // A wait of a stream for the call with correlation `record`.
  RawRow& Wait(std::int64_t ts, std::int64_t dur, std::int64_t correlation, std::int64_t record) {
    RawRow& row = Add(EventKind::kDeviceSync, Track(Domain::kDeviceSync, 7), "wait", ts, dur);
    row.correlation = correlation;
    row.aux = static_cast<std::uint32_t>(batch.syncs.size());
    batch.syncs.push_back({.record_correlation = record});
    return row;
  }
  // An op with autograd's numbers.
  void OpWithSequence(std::string_view name, std::int64_t ts, std::int64_t dur, std::int64_t tid,
                      std::int64_t sequence, std::int32_t forward_thread) {
    Op(name, ts, dur, tid).aux = static_cast<std::uint32_t>(batch.ops.size());
    batch.ops.push_back({.sequence_number = sequence, .forward_thread = forward_thread});
  }
  void Flow(std::int64_t id, std::int64_t ts, std::int64_t tid, bool start) {
    batch.flows.push_back({.id = id,
                           .ts_ns = ts,
                           .track = Track(Domain::kHost, tid),
                           .start = start,
                           .forward_backward = true});
    ++batch.event_count;
    ++batch.flow_count;
  }

  RankTrace Finish() {
    TraceBuilder builder;
    builder.Append(batch, scope, 0);
    return std::move(builder).Finish({}, {});
  }

  EventBatch batch;
  NameScope scope;
};

// The row that was added as number `source`; kNoRow when it is none.
inline Row RowOf(const RankTrace& trace, std::uint32_t source) {
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.source[row] == source) return row;
  }
  return kNoRow;
}

inline constexpr std::uint32_t kNoSource = 0xFFFFFFFF;
inline std::uint32_t SourceOf(const RankTrace& trace, Row row) {
  return row == kNoRow ? kNoSource : trace.source[row];
}

// Per source: the source of its parent, kNoSource without one.
inline std::vector<std::uint32_t> ParentsBySource(const RankTrace& trace) {
  std::vector<std::uint32_t> parents(trace.meta.event_count, kNoSource);
  for (Row row = 0; row < trace.row_count(); ++row)
    parents[trace.source[row]] = SourceOf(trace, trace.parent[row]);
  return parents;
}

// Pairs of rows as pairs of sources.
inline std::vector<std::pair<std::uint32_t, std::uint32_t>> BySource(const RankTrace& trace,
                                                                     const Column<RowPair>& pairs) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
  for (const RowPair& pair : pairs)
    result.emplace_back(SourceOf(trace, pair.from), SourceOf(trace, pair.to));
  return result;
}

}  // namespace rankscope
