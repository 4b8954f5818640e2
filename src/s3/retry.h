// When a request is made again, and after how long: with full jitter, so that many that failed
// together do not come back together, and within a budget of the process, so that a store that is
// overloaded is not asked five times as often.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

namespace rankscope::s3 {

struct RetrySettings {
  int tries = 5;  // of one request, all together
  std::chrono::milliseconds first{100};
  std::chrono::milliseconds most{20'000};
  double budget = 0.1;        // retries for each request
  double most_saved = 100.0;  // retries that a long good time saves up
  double begins_with = 20.0;
};

// Whether an answer may be another one the next time. 400, 403 and 404 never are, whatever their
// code, but for RequestTimeout, which is a 400.
bool MayPass(int status, std::string_view code);

// Up to a bound that doubles: `random` is in [0, 1).
std::chrono::milliseconds Delay(const RetrySettings& settings, int failed, double random);

// Safe for many threads.
class RetryBudget {
 public:
  explicit RetryBudget(const RetrySettings& settings)
      : settings_(settings), saved_(settings.begins_with) {}

  // A request is made, for the first time.
  void OnRequest();
  // Whether it may be made again now.
  bool TakeRetry();

 private:
  const RetrySettings settings_;
  std::mutex mutex_;
  double saved_;
};

// What a client waits, measures and draws lots with; tests have their own.
struct Surroundings {
  std::function<std::int64_t()> now_s;  // seconds since 1970
  std::function<void(std::chrono::milliseconds)> sleep;
  std::function<double()> random;  // in [0, 1), from any thread
};
Surroundings RealSurroundings();

}  // namespace rankscope::s3
