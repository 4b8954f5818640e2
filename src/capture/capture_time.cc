#include "capture/capture_time.h"

#include <chrono>
#include <thread>

namespace rankscope::capture {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kCancelTime{50};

template <typename Clock>
std::int64_t MsOf() {
  return std::chrono::duration_cast<milliseconds>(Clock::now().time_since_epoch()).count();
}

class MachineTime final : public CaptureTime {
 public:
  std::int64_t SteadyMs() override { return MsOf<std::chrono::steady_clock>(); }
  std::int64_t UnixMs() override { return MsOf<std::chrono::system_clock>(); }
  void Pause(std::int64_t ms, const std::atomic<bool>& is_cancelled) override {
    const std::int64_t end = SteadyMs() + ms;
    while (!is_cancelled && SteadyMs() < end) std::this_thread::sleep_for(kCancelTime);
  }
};

}  // namespace

CaptureTime& RealTime() {
  static MachineTime time;
  return time;
}

}  // namespace rankscope::capture
