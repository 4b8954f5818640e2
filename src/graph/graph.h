// DependencyGraph: the dependencies of work in one capture of one rank.
//
// Nodes are segments: stretches of work of a host thread or a stream between the points where
// dependencies to or from other work begin. An edge means that a segment could not begin before
// another had ended:
//
//   order       the work before it on its thread or stream
//   launch      the host, up to the call that launched it
//   event wait  work of another stream, by event record and wait, or inside a CUDA graph
//   sync        device work for which a host call waited: synchronize, cudaFree, a blocking copy
//   full queue  device work that made room for a launch
//   thread      the host thread that handed over to it, as backward() does to autograd's thread
//
// Segments contain no waiting: waiting is the time between the end of the previous segment and the
// end of the awaited one. All time of the program's main thread except waiting is work, with or
// without a row: between rows the profiler does not see the running code. On other threads only the
// time around ops and calls is work (host_threads.h).
//
// A collective is a rendezvous: no member's transfer begins before all have arrived. With one
// loaded rank it has one member.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/component.h"
#include "trace/trace.h"

namespace rankscope {

// Its version is raised when the graph, path or slack of the same trace changes.
inline constexpr Component kGraphComponent{"graph", 6};

using SegmentId = std::uint32_t;
inline constexpr SegmentId kNoSegment = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoTrack = 0xFFFFFFFF;

struct Segment {
  std::int64_t begin_ns = 0;  // relative to the trace's base
  std::int64_t end_ns = 0;
  std::uint32_t track = 0;
  // On a stream: its rows [first_row, first_row + row_count). On a host thread kNoRow, 0.
  Row first_row = kNoRow;
  std::uint32_t row_count = 0;
  SegmentId previous = kNoSegment;  // of the same thread or stream: the edge "order"

  bool on_device() const { return first_row != kNoRow; }
};
static_assert(sizeof(Segment) == 32);

enum class DependencyKind : std::uint8_t {
  kOrder,
  kLaunch,
  kEventWait,
  kSync,
  kFullQueue,
  kThread
};

// `to` begins at least lag_ns after the end of `from`. For a launch, lag_ns is the time of a launch
// on an idle stream in this trace, or of this launch if it is less. Negative if clocks or rounding
// let `to` begin up to kClockToleranceNs early.
struct Dependency {
  SegmentId from = kNoSegment;
  SegmentId to = kNoSegment;
  std::int32_t lag_ns = 0;
  DependencyKind kind = DependencyKind::kOrder;
  bool inferred = false;  // inferred from times and calls; the trace does not name both ends
  std::uint8_t padding[2] = {};
};
static_assert(sizeof(Dependency) == 16);

// Times of integer-microsecond traces are rounded by up to 1 us at both ends of a row.
inline constexpr std::int64_t kClockToleranceNs = 2'000;

struct Rendezvous {
  std::int64_t at_ns = 0;  // when the last member arrived
  std::uint32_t first_member = 0;
  std::uint32_t member_count = 0;
};

struct DependencyGraph {
  // By begin, then end: every edge leads from a lower to a higher number.
  std::vector<Segment> segments;
  std::vector<Dependency> dependencies;         // all but kOrder, sorted by `to`
  std::vector<std::uint32_t> first_dependency;  // of each segment, and behind the last one

  std::vector<Rendezvous> rendezvous;
  std::vector<SegmentId> members;  // of all rendezvous, in their order

  // The recording up to the end of the last work of the main thread or a device.
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  SegmentId last = kNoSegment;           // the one that ends at end_ns; kNoSegment without any
  std::uint32_t main_thread = kNoTrack;  // kNoTrack without host threads
  // Median of launches on idle streams, up to kLaunchLimitNs; with few launches, up to the usual
  // time.
  std::int64_t launch_lag_ns = 0;
  // Dependencies left out because the times of both ends contradict them.
  std::int64_t contradicted = 0;

  std::span<const Dependency> DependenciesOf(SegmentId segment) const {
    return std::span(dependencies)
        .subspan(first_dependency[segment],
                 first_dependency[segment + 1] - first_dependency[segment]);
  }
};

// A predecessor of a segment.
struct Predecessor {
  SegmentId segment = kNoSegment;
  std::int64_t ready_ns = 0;  // end of that segment, plus the lag
  DependencyKind kind = DependencyKind::kOrder;
  bool inferred = false;
};

// The predecessor that was ready last, in the order of DependencyKind for equals; segment ==
// kNoSegment if there is none. The time between ready_ns and the begin of the segment is its start
// gap, without a dependency.
Predecessor BindingPredecessor(const DependencyGraph& graph, SegmentId segment);

}  // namespace rankscope
