// The time by which a capture waits, given by the caller: tests move it themselves.
#pragma once

#include <atomic>
#include <cstdint>

namespace rankscope::capture {

class CaptureTime {
 public:
  virtual ~CaptureTime() = default;
  virtual std::int64_t SteadyMs() = 0;  // only goes forward
  virtual std::int64_t UnixMs() = 0;    // the wall's
  // Returns before when `is_cancelled` becomes true.
  virtual void Pause(std::int64_t ms, const std::atomic<bool>& is_cancelled) = 0;
};

// The machine's own.
CaptureTime& RealTime();

}  // namespace rankscope::capture
