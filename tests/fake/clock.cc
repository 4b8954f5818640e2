// A wall clock that is wrong, for tests: preloaded into a process, adds FAKE_CLOCK_AHEAD_MS to what
// clock_gettime says of the time of day.
#include <dlfcn.h>

#include <cstdlib>
#include <ctime>

namespace {

using ClockGettime = int (*)(clockid_t, timespec*);

long AheadMs() {
  const char* const text = std::getenv("FAKE_CLOCK_AHEAD_MS");
  return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
                                                                    timespec* time) noexcept {
  static const auto kReal = reinterpret_cast<ClockGettime>(dlsym(RTLD_NEXT, "clock_gettime"));
  static const long kAheadMs = AheadMs();
  const int done = kReal(clock, time);
  if (done != 0 || clock != CLOCK_REALTIME) return done;
  constexpr long kSecondNs = 1'000'000'000;
  time->tv_sec += kAheadMs / 1000;
  time->tv_nsec += kAheadMs % 1000 * 1'000'000;
  if (time->tv_nsec >= kSecondNs) {
    time->tv_nsec -= kSecondNs;
    ++time->tv_sec;
  } else if (time->tv_nsec < 0) {
    time->tv_nsec += kSecondNs;
    --time->tv_sec;
  }
  return done;
}
