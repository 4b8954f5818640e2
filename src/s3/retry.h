// When to retry a request, and after what delay. Full jitter prevents requests that failed together
// from returning together. A budget per process prevents retries from multiplying the load on an
// overloaded store by five.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

namespace rankscope::s3 {

struct RetrySettings {
  int tries = 5;  // per request, including the first
  std::chrono::milliseconds first{100};
  std::chrono::milliseconds most{20'000};
  double budget = 0.1;        // retries earned per request
  double most_saved = 100.0;  // maximum of saved retries
  double begins_with = 20.0;
};

// Whether a later try may get another answer. For 400, 403 and 404 never, whatever their code,
// except for RequestTimeout, which is a 400.
bool MayPass(int status, std::string_view code);

// A random delay below a bound that doubles: `random` is in [0, 1).
std::chrono::milliseconds Delay(const RetrySettings& settings, int failed, double random);

// Thread-safe.
class RetryBudget {
 public:
  explicit RetryBudget(const RetrySettings& settings)
      : settings_(settings), saved_(settings.begins_with) {}

  // Call for the first try of each request.
  void OnRequest();
  // Whether a retry is allowed now; if so, takes it from the budget.
  bool TakeRetry();

 private:
  const RetrySettings settings_;
  std::mutex mutex_;
  double saved_;
};

// The client's clock, sleep and random source; tests replace them.
struct Surroundings {
  std::function<std::int64_t()> now_s;  // seconds since 1970
  std::function<void(std::chrono::milliseconds)> sleep;
  std::function<double()> random;  // in [0, 1), from any thread
};
Surroundings RealSurroundings();

}  // namespace rankscope::s3
