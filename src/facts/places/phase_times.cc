#include "facts/places/phase_times.h"

#include <algorithm>
#include <map>

#include "base/letter_case.h"
#include "facts/launch_parts.h"
#include "trace/autograd_names.h"

namespace rankscope {
namespace {

constexpr std::size_t Index(HostPhase phase) { return static_cast<std::size_t>(phase); }

// The phase that an event of this kind and name shows; kOther when none.
HostPhase PhaseOf(EventKind kind, std::string_view name) {
  switch (kind) {
    case EventKind::kCpuOp:
    case EventKind::kUserAnnotation:
      if (name.starts_with(kEvaluateFunction)) return HostPhase::kBackward;
      if (name.starts_with("Optimizer.")) return HostPhase::kOptimizer;
      // Nodes without the engine's op around them are all that shows backward before PyTorch 1.9.
      if (kind == EventKind::kCpuOp && IsAutogradOp(name)) return HostPhase::kBackward;
      // Ops are named after what they compute, "aten::_softmax_backward_data" also outside of
      // backward; only annotations say what the program does.
      if (kind == EventKind::kCpuOp) return HostPhase::kOther;
      if (ContainsInEitherCase(name, "forward") && ContainsInEitherCase(name, "backward"))
        return HostPhase::kOther;  // both
      if (ContainsInEitherCase(name, "backward")) return HostPhase::kBackward;
      if (ContainsInEitherCase(name, "optimizer")) return HostPhase::kOptimizer;
      if (ContainsInEitherCase(name, "forward")) return HostPhase::kForward;
      return HostPhase::kOther;
    case EventKind::kPythonFunction:
      if (name.starts_with("nn.Module: ")) return HostPhase::kForward;
      if ((name.starts_with("torch/_tensor.py") ||
           name.starts_with("torch/autograd/__init__.py")) &&
          name.ends_with(": backward"))
        return HostPhase::kBackward;
      if (name.starts_with("torch/optim/") && name.ends_with(": step"))
        return HostPhase::kOptimizer;
      return HostPhase::kOther;
    default:
      return HostPhase::kOther;
  }
}

// Index of the thread that runs the program: the one with the steps' marks, else the one with most
// ops. The trace has tracks.
std::uint32_t MainThread(const RankTrace& trace) {
  for (const Step& step : trace.steps) {
    if (step.mark != kNoRow) return trace.track[step.mark];
  }
  std::uint32_t most = 0;
  std::size_t most_ops = 0;
  for (std::uint32_t index = 0; index < trace.tracks.size(); ++index) {
    const Track& track = trace.tracks[index];
    if (track.domain != Domain::kHost) continue;
    std::size_t ops = 0;
    for (Row row = track.begin; row < track.end; ++row) ops += trace.kind[row] == EventKind::kCpuOp;
    if (ops > most_ops) {
      most = index;
      most_ops = ops;
    }
  }
  return most;
}

// Begins and ends of the main thread's ops that belong to no phase yet.
struct MainOps {
  std::vector<std::int64_t> begins;  // ascending
  std::vector<Interval> extents;

  bool BeginInside(Interval span) const {
    const auto first = std::lower_bound(begins.begin(), begins.end(), span.begin);
    return first != begins.end() && *first < span.end;
  }
};

MainOps OpsOfMainThread(const RankTrace& trace, const IntervalSet& taken) {
  MainOps ops;
  if (trace.tracks.empty()) return ops;
  const Track& main = trace.tracks[MainThread(trace)];
  if (main.domain != Domain::kHost) return ops;
  std::size_t next = 0;
  for (Row row = main.begin; row < main.end; ++row) {
    if (trace.kind[row] != EventKind::kCpuOp || trace.dur_ns[row] < 0) continue;
    const std::int64_t begin = trace.ts_ns[row];
    while (next < taken.size() && taken[next].end <= begin) ++next;
    if (next < taken.size() && taken[next].begin <= begin) continue;
    ops.begins.push_back(begin);
    ops.extents.push_back({begin, trace.end_ns(row)});
  }
  return ops;
}

// The autograd engine takes a moment between two nodes.
IntervalSet BridgePauses(const IntervalSet& backward, const MainOps& ops) {
  IntervalSet joined;
  for (const Interval& part : backward) {
    const bool continues = !joined.empty() && part.begin - joined.back().end <= 1'000'000 &&
                           !ops.BeginInside({joined.back().end, part.begin});
    if (continues) {
      joined.back().end = part.end;
    } else {
      joined.push_back(part);
    }
  }
  return joined;
}

// Forward of the windows in which nothing shows it.
void AddUnmarkedForward(const Windows& windows, const MainOps& ops, const IntervalSet& backward,
                        IntervalSet& forward) {
  std::vector<Interval> found;
  for (const Window& window : windows) {
    if (!window.step || window.TotalOf(forward) > 0) continue;
    const Interval span = window.intervals.front();
    const auto first = std::lower_bound(ops.begins.begin(), ops.begins.end(), span.begin);
    if (first == ops.begins.end() || *first >= span.end) continue;
    const auto next_backward =
        std::partition_point(backward.begin(), backward.end(),
                             [&](const Interval& part) { return part.begin < *first; });
    std::int64_t end = 0;
    if (next_backward != backward.end() && next_backward->begin < span.end) {
      end = next_backward->begin;
    } else {
      const auto behind = std::lower_bound(first, ops.begins.end(), span.end);
      for (auto i = static_cast<std::size_t>(first - ops.begins.begin());
           i < static_cast<std::size_t>(behind - ops.begins.begin()); ++i)
        end = std::max(end, std::min(ops.extents[i].end, span.end));
    }
    found.push_back({*first, end});
  }
  forward = Unite(forward, Normalise(std::move(found)));
}

}  // namespace

std::string_view ToString(HostPhase phase) {
  static constexpr std::string_view kNames[kPhaseCount] = {"data loading", "forward", "backward",
                                                           "optimizer", "other"};
  return kNames[Index(phase)];
}

std::array<IntervalSet, kPhaseCount> PhaseTimes(const TraceFacts& facts, const Windows& windows) {
  const RankTrace& trace = facts.trace();
  std::array<std::vector<Interval>, kPhaseCount> shown;
  std::map<std::pair<EventKind, StringId>, HostPhase> known;
  for (std::uint32_t index = 0; index < trace.tracks.size(); ++index) {
    const Track& track = trace.tracks[index];
    if (track.domain != Domain::kHost) continue;
    const IntervalSet& loading = facts.host().data_loading(index);
    shown[Index(HostPhase::kDataLoading)].insert(shown[Index(HostPhase::kDataLoading)].end(),
                                                 loading.begin(), loading.end());
    for (Row row = track.begin; row < track.end; ++row) {
      const EventKind kind = trace.kind[row];
      const bool may_show = kind == EventKind::kCpuOp || kind == EventKind::kUserAnnotation ||
                            kind == EventKind::kPythonFunction;
      if (!may_show || trace.dur_ns[row] <= 0) continue;
      const auto [place, is_new] = known.try_emplace({kind, trace.name[row]}, HostPhase::kOther);
      if (is_new) place->second = PhaseOf(kind, trace.name_of(row));
      if (place->second != HostPhase::kOther)
        shown[Index(place->second)].push_back({trace.ts_ns[row], trace.end_ns(row)});
    }
  }
  std::array<IntervalSet, kPhaseCount> phases;
  for (std::size_t i = 0; i < kPhaseCount; ++i) phases[i] = Normalise(std::move(shown[i]));
  IntervalSet& loading = phases[Index(HostPhase::kDataLoading)];
  IntervalSet& forward = phases[Index(HostPhase::kForward)];
  IntervalSet& backward = phases[Index(HostPhase::kBackward)];
  IntervalSet& optimizer = phases[Index(HostPhase::kOptimizer)];

  const MainOps ops = OpsOfMainThread(trace, Unite(Unite(loading, backward), optimizer));
  backward = Subtract(BridgePauses(backward, ops), loading);
  IntervalSet taken = Unite(loading, backward);
  optimizer = Subtract(optimizer, taken);
  taken = Unite(taken, optimizer);
  AddUnmarkedForward(windows, ops, backward, forward);
  forward = Subtract(forward, taken);
  taken = Unite(taken, forward);
  phases[Index(HostPhase::kOther)] =
      Subtract(Normalise({Interval{trace.begin_ns, trace.finish_ns}}), taken);
  return phases;
}

}  // namespace rankscope
