#include "graph/host_threads.h"

#include <algorithm>

#include "trace/autograd_names.h"

namespace rankscope {
namespace {

// Rows that show a thread at work; a Python frame may lie over a wait as long as the recording.
bool ShowsWork(const RankTrace& trace, Row row) {
  if (trace.dur_ns[row] < 0) return false;
  switch (trace.kind[row]) {
    case EventKind::kCpuOp:
    case EventKind::kUserAnnotation:
    case EventKind::kRuntime:
      return true;
    default:
      return false;
  }
}

std::uint32_t MostOf(const std::vector<std::int64_t>& counts) {
  const auto most = std::max_element(counts.begin(), counts.end());
  if (most == counts.end() || *most == 0) return kNoTrack;
  return static_cast<std::uint32_t>(most - counts.begin());
}

bool HasDeviceWork(const RankTrace& trace) {
  return std::any_of(trace.tracks.begin(), trace.tracks.end(),
                     [](const Track& track) { return track.domain == Domain::kDevice; });
}

std::uint32_t MainThread(const RankTrace& trace) {
  if (!trace.steps.empty() && trace.steps[0].mark != kNoRow && trace.steps[0].inferred == 0)
    return trace.track[trace.steps[0].mark];
  if (trace.launch_kernels.empty() && HasDeviceWork(trace)) return kNoTrack;
  std::vector<std::int64_t> counts(trace.tracks.size(), 0);
  for (const RowPair& pair : trace.launch_kernels) ++counts[trace.track[pair.from]];
  const std::uint32_t launcher = MostOf(counts);
  if (launcher != kNoTrack) {
    std::fill(counts.begin(), counts.end(), 0);
    for (const RowPair& pair : trace.forward_backward) {
      const std::uint32_t forward = trace.track[pair.from];
      if (trace.track[pair.to] == launcher && forward != launcher) ++counts[forward];
    }
    const std::uint32_t forward = MostOf(counts);
    return forward != kNoTrack ? forward : launcher;
  }
  for (std::size_t track = 0; track < trace.tracks.size(); ++track) {
    const Track& thread = trace.tracks[track];
    counts[track] = thread.domain == Domain::kHost ? thread.end - thread.begin : 0;
  }
  return MostOf(counts);
}

// Threads to which autograd hands work of the main thread.
std::vector<bool> AutogradThreads(const RankTrace& trace, std::uint32_t main) {
  std::vector<bool> result(trace.tracks.size(), false);
  for (const RowPair& pair : trace.forward_backward) {
    if (trace.track[pair.from] == main) result[trace.track[pair.to]] = true;
  }
  std::vector<bool> is_autograd(trace.strings.size(), false);
  for (StringId id = 0; id < trace.strings.size(); ++id)
    is_autograd[id] = trace.strings.Get(id).starts_with(kEvaluateFunction);
  for (std::size_t track = 0; track < trace.tracks.size(); ++track) {
    const Track& thread = trace.tracks[track];
    if (thread.domain != Domain::kHost) continue;
    for (Row row = thread.begin; row < thread.end && !result[track]; ++row)
      result[track] = is_autograd[trace.name[row]];
  }
  return result;
}

// The times at which something of a thread begins or ends, sorted.
std::vector<std::int64_t> SignsOfLife(const RankTrace& trace, std::uint32_t track) {
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;
  const Track& thread = trace.tracks[track];
  for (Row row = thread.begin; row < thread.end; ++row) {
    if (trace.dur_ns[row] < 0) continue;
    begins.push_back(trace.ts_ns[row]);
    ends.push_back(trace.end_ns(row));
  }
  std::sort(ends.begin(), ends.end());
  std::vector<std::int64_t> signs(begins.size() + ends.size());
  std::merge(begins.begin(), begins.end(), ends.begin(), ends.end(), signs.begin());
  return signs;
}

class BurstFinder {
 public:
  BurstFinder(const RankTrace& trace, std::uint32_t main)
      : trace_(trace), signs_(SignsOfLife(trace, main)) {}

  void Find(std::uint32_t track, bool is_autograd, std::vector<Burst>& bursts) const {
    const Track& thread = trace_.tracks[track];
    const std::size_t first = bursts.size();
    for (Row row = thread.begin; row < thread.end; ++row) {
      if (!ShowsWork(trace_, row)) continue;
      const std::int64_t begin = trace_.ts_ns[row];
      const std::int64_t end = trace_.end_ns(row);
      if (bursts.size() > first &&
          (begin <= bursts.back().end_ns || IsQuiet(bursts.back().end_ns, begin))) {
        bursts.back().end_ns = std::max(bursts.back().end_ns, end);
      } else {
        bursts.push_back({.begin_ns = begin, .end_ns = end, .track = track});
      }
    }
    if (!is_autograd || signs_.empty()) return;
    for (std::size_t i = first; i < bursts.size(); ++i) {
      Burst& burst = bursts[i];
      burst.main_waits = burst.begin_ns >= signs_.front() && burst.end_ns <= signs_.back() &&
                         IsQuiet(burst.begin_ns, burst.end_ns);
    }
  }

 private:
  // No sign of life of the main thread between the two.
  bool IsQuiet(std::int64_t begin, std::int64_t end) const {
    const auto next = std::upper_bound(signs_.begin(), signs_.end(), begin);
    return next == signs_.end() || *next >= end;
  }

  const RankTrace& trace_;
  std::vector<std::int64_t> signs_;
};

}  // namespace

HostThreads FindHostThreads(const RankTrace& trace) {
  HostThreads threads{.main = MainThread(trace)};
  if (threads.main == kNoTrack) return threads;
  const std::vector<bool> is_autograd = AutogradThreads(trace, threads.main);
  const BurstFinder finder(trace, threads.main);
  for (std::uint32_t track = 0; track < trace.tracks.size(); ++track) {
    if (trace.tracks[track].domain == Domain::kHost && track != threads.main)
      finder.Find(track, is_autograd[track], threads.bursts);
  }
  return threads;
}

}  // namespace rankscope
