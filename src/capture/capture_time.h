// The clock of a capture, passed in by the caller; tests control it.
#pragma once

#include <atomic>
#include <cstdint>

namespace rankscope::capture {

class CaptureTime {
 public:
  virtual ~CaptureTime() = default;
  virtual std::int64_t SteadyMs() = 0;  // monotonic
  virtual std::int64_t UnixMs() = 0;    // wall clock
  // Returns early when `is_cancelled` becomes true.
  virtual void Pause(std::int64_t ms, const std::atomic<bool>& is_cancelled) = 0;
};

// The machine's own clock.
CaptureTime& RealTime();

}  // namespace rankscope::capture
