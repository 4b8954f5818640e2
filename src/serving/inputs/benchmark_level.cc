#include "serving/inputs/benchmark_level.h"

#include <algorithm>

namespace rankscope::serving {
namespace {

constexpr std::int64_t kLongest = 365LL * 86400 * 1'000'000'000;

}  // namespace

void AddBenchmarkLevel(LoadLevel level, std::span<Request> requests, Collection& to) {
  Ns first, last;
  std::int64_t count = 0;
  for (const Request& request : requests) {
    if (!request.arrival) continue;
    first = std::min(first.value_or(*request.arrival), *request.arrival);
    last = std::max(last.value_or(*request.arrival), *request.arrival);
    level.has_wall_clock = level.has_wall_clock && request.has_wall_clock;
    ++count;
  }
  if (count < 2 || *last == *first || *last - *first > kLongest) return;
  level.number = static_cast<std::int32_t>(to.data.levels.size());
  level.begin = first;
  level.sending = *last - *first + (*last - *first) / (count - 1);
  for (Request& request : requests) {
    if (request.arrival) request.level = level.number;
  }
  to.data.levels.push_back(std::move(level));
}

}  // namespace rankscope::serving
