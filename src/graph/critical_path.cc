#include "graph/critical_path.h"

#include <algorithm>

namespace rankscope {
namespace {

// Of each segment the rendezvous that it is a member of, or UINT32_MAX.
std::vector<std::uint32_t> RendezvousOf(const DependencyGraph& graph) {
  std::vector<std::uint32_t> result(graph.segments.size(), UINT32_MAX);
  for (std::uint32_t i = 0; i < graph.rendezvous.size(); ++i) {
    const Rendezvous& meeting = graph.rendezvous[i];
    for (std::uint32_t member = 0; member < meeting.member_count; ++member)
      result[graph.members[meeting.first_member + member]] = i;
  }
  return result;
}

// The member that arrived last, the lowest of equals.
SegmentId LastToArrive(const DependencyGraph& graph, const Rendezvous& meeting) {
  SegmentId last = graph.members[meeting.first_member];
  for (std::uint32_t i = 1; i < meeting.member_count; ++i) {
    const SegmentId member = graph.members[meeting.first_member + i];
    if (graph.segments[member].begin_ns > graph.segments[last].begin_ns) last = member;
  }
  return last;
}

}  // namespace

std::vector<PathPiece> CriticalPath(const DependencyGraph& graph) {
  std::vector<PathPiece> path;
  if (graph.last == kNoSegment) return path;
  const std::vector<std::uint32_t> rendezvous_of = RendezvousOf(graph);
  std::int64_t until = graph.end_ns;  // all later time is covered
  const auto cover = [&](std::int64_t from, PathPiece piece) {
    from = std::max(from, graph.begin_ns);
    if (from >= until) return;
    piece.begin_ns = from;
    piece.end_ns = until;
    until = from;
    path.push_back(piece);
  };
  SegmentId segment = graph.last;
  while (segment != kNoSegment) {
    if (rendezvous_of[segment] != UINT32_MAX) {
      const Rendezvous& meeting = graph.rendezvous[rendezvous_of[segment]];
      const SegmentId last = LastToArrive(graph, meeting);
      if (last != segment) {
        cover(graph.segments[last].begin_ns, {.segment = segment, .is_work = true});
        segment = last;
      }
    }
    cover(graph.segments[segment].begin_ns, {.segment = segment, .is_work = true});
    const Predecessor before = BindingPredecessor(graph, segment);
    const std::int64_t ended =
        before.segment == kNoSegment ? graph.begin_ns : graph.segments[before.segment].end_ns;
    cover(ended, {.segment = segment, .after = before.segment, .kind = before.kind});
    segment = before.segment;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<std::int64_t> Slack(const DependencyGraph& graph) {
  const std::vector<Segment>& segments = graph.segments;
  // The latest end that delays nothing.
  std::vector<std::int64_t> latest(segments.size());
  for (SegmentId i = 0; i < segments.size(); ++i)
    latest[i] = segments[i].end_ns <= graph.end_ns ? graph.end_ns : kUnboundedSlack;
  std::vector<std::int64_t> slack(segments.size());
  for (auto i = static_cast<SegmentId>(segments.size()); i-- > 0;) {
    if (latest[i] == kUnboundedSlack) {
      slack[i] = kUnboundedSlack;
      continue;  // nothing is bound by it
    }
    slack[i] = latest[i] - segments[i].end_ns;
    const Predecessor binding = BindingPredecessor(graph, i);
    if (binding.segment == kNoSegment) continue;
    // When all that it waits for must be ready.
    const std::int64_t ready = binding.ready_ns + slack[i];
    const auto limit = [&](SegmentId from, std::int64_t lag) {
      latest[from] = std::min(latest[from], ready - lag);
    };
    if (const SegmentId previous = segments[i].previous; previous != kNoSegment)
      limit(previous, std::min<std::int64_t>(0, segments[i].begin_ns - segments[previous].end_ns));
    for (const Dependency& dependency : graph.DependenciesOf(i))
      limit(dependency.from, dependency.lag_ns);
  }
  return slack;
}

}  // namespace rankscope
