#include "s3/retry.h"

#include <algorithm>
#include <ctime>
#include <random>
#include <thread>

namespace rankscope::s3 {

bool MayPass(int status, std::string_view code) {
  if (code == "RequestTimeout" || code == "SlowDown") return true;
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

std::chrono::milliseconds Delay(const RetrySettings& settings, int failed, double random) {
  const double bound = std::min(static_cast<double>(settings.most.count()),
                                static_cast<double>(settings.first.count()) *
                                    static_cast<double>(1 << std::clamp(failed, 0, 20)));
  return std::chrono::milliseconds(static_cast<std::int64_t>(bound * random));
}

void RetryBudget::OnRequest() {
  const std::scoped_lock lock(mutex_);
  saved_ = std::min(settings_.most_saved, saved_ + settings_.budget);
}

bool RetryBudget::TakeRetry() {
  const std::scoped_lock lock(mutex_);
  if (saved_ < 1) return false;
  saved_ -= 1;
  return true;
}

Surroundings RealSurroundings() {
  return {.now_s = [] { return std::int64_t{std::time(nullptr)}; },
          .sleep = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); },
          .random =
              [] {
                thread_local std::minstd_rand generator(std::random_device{}());
                return std::uniform_real_distribution<double>(0, 1)(generator);
              }};
}

}  // namespace rankscope::s3
