// Which host threads carry a program, and when they work.
//
// The main thread is the one with the step marks; without marks the one that launches most device
// work, but of a pair of threads joined by autograd the forward one; without marks none where
// devices worked and no thread launched any of it, since nothing ties threads to that. It works
// from its first to its last row, but for what it waits for.
//
// Any other thread works in bursts: around its ops, annotations and calls of the device API. Two of
// them are one burst when nothing of the main thread begins or ends between them. A burst is begun
// by the main thread, whatever that does at the time. The main thread waits for a burst of one of
// autograd's threads when nothing of its own begins or ends meanwhile: backward() blocks it.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "trace/trace.h"

namespace rankscope {

struct Burst {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t track = 0;
  bool main_waits = false;
};

struct HostThreads {
  std::uint32_t main = kNoTrack;
  // Of all other threads; by track, then time. Bursts of a track are disjoint.
  std::vector<Burst> bursts;
};

// O(rows log rows) in the worst case, linear for usual traces.
HostThreads FindHostThreads(const RankTrace& trace);

}  // namespace rankscope
