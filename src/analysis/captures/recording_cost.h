// An estimate of the time that recording itself costs the host, from the amount recorded.
#pragma once

#include <algorithm>
#include <cstdint>

#include "facts/trace_facts.h"

namespace rankscope {

// Of the complete steps of a trace, and of the threads that launch.
struct RecordingCost {
  std::int64_t steps_ns = 0;  // by the host's marks
  // Of the device that computes or copies the longest. Communication kernels also wait for peers,
  // so they give no bound.
  std::int64_t busy_ns = 0;
  std::int64_t host_idle_ns = 0;  // of that device: the host had not issued, or just launched work
  std::int64_t ops = 0;
  std::int64_t frames = 0;  // of Python
  std::int64_t calls = 0;   // of the device's API
  bool has_shapes = false;

  // The largest possible cost of recording: it lies between the recorded begins and ends, so it is
  // at most the time between two of these.
  std::int64_t most_ns = 0;

  // From measured programs with and without the profiler (docs/insight-quality.md): 2 to 6 us per
  // op with shapes.
  static constexpr std::int64_t kOpWithShapesNs = 4000;
  static constexpr std::int64_t kOpNs = 2000;
  static constexpr std::int64_t kFrameNs = 600;
  static constexpr std::int64_t kCallNs = 1000;
  std::int64_t EstimateNs() const {
    return std::min(most_ns, ops * (has_shapes ? kOpWithShapesNs : kOpNs) + frames * kFrameNs +
                                 calls * kCallNs);
  }
};
RecordingCost CostOfRecording(const TraceFacts& facts);

}  // namespace rankscope
