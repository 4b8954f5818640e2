// The host threads of a program, and their working times.
//
// The main thread is the one with the step marks; without marks, the one that launches most device
// work, but of two threads joined by autograd the forward one. Without marks there is none if no
// thread launched any of the device work, since threads are then not linked to it. It works from
// its first to its last row, except for waits.
//
// Any other thread works in bursts: around its ops, annotations and calls of the device API. Two of
// these are one burst if nothing on the main thread begins or ends between them. The main thread
// starts every burst, whatever it does at the time. The main thread waits for a burst of an
// autograd thread if nothing of its own begins or ends during the burst: backward() blocks it.
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
  // Bursts of all other threads; by track, then time. Bursts of a track are disjoint.
  std::vector<Burst> bursts;
};

// O(rows log rows) in the worst case, linear for usual traces.
HostThreads FindHostThreads(const RankTrace& trace);

}  // namespace rankscope
