// Wait: the clock with which a client waits for a server that is unreachable, busy or working, and
// a way to stop it. Tests use one without real time.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

namespace rankscope::client {

class Wait {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  virtual ~Wait() = default;
  virtual TimePoint Now() = 0;
  virtual void Sleep(std::chrono::milliseconds time) = 0;
  // True if the caller no longer wants the work. From any thread.
  virtual bool IsStopped() const = 0;
};

// The machine's own clock.
class RealWait final : public Wait {
 public:
  explicit RealWait(std::function<bool()> is_stopped) : is_stopped_(std::move(is_stopped)) {}
  TimePoint Now() override { return std::chrono::steady_clock::now(); }
  void Sleep(std::chrono::milliseconds time) override;
  bool IsStopped() const override { return is_stopped_ && is_stopped_(); }

 private:
  std::function<bool()> is_stopped_;
};

// Sleeps in short pieces; false as soon as the work is stopped.
bool SleepUnlessStopped(Wait& wait, std::chrono::milliseconds time);

}  // namespace rankscope::client
