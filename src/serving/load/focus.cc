#include "serving/load/focus.h"

#include <algorithm>

namespace rankscope::serving {

std::optional<std::size_t> FocusOf(std::span<const LevelResult> levels, const Saturation& found) {
  if (levels.size() < 2) return std::nullopt;
  // Where more come than go a cause shows most clearly.
  for (const auto& marked : {found.overload, found.broken, found.capacity})
    if (marked) return marked;
  const auto most = std::ranges::max_element(levels, {}, [](const LevelResult& one) {
    return std::pair(one.level.users.value_or(0), one.served_per_s.value_or(0));
  });
  return static_cast<std::size_t>(most - levels.begin());
}

ServingData PartOf(const ServingData& data, const LoadLevel& level) {
  ServingData part{.sources = data.sources,
                   .levels = {level},
                   .trace_phases = data.trace_phases,
                   .labels = data.labels,
                   .notes = data.notes};
  const auto is_of_level = [&](const Request& request) {
    return request.source == level.source && request.level == level.number;
  };
  const std::int64_t begin = level.begin.value_or(0);
  std::int64_t end = begin + level.sending.value_or(0);
  for (const Request& request : data.requests) {
    if (is_of_level(request) && request.arrival && request.e2e)
      end = std::max(end, *request.arrival + *request.e2e);
  }
  const auto is_within = [&](Ns moment) { return moment && *moment >= begin && *moment <= end; };
  for (const Request& request : data.requests) {
    if (is_of_level(request) ||
        (request.level < 0 && request.has_wall_clock && is_within(request.arrival)))
      part.requests.push_back(request);
  }
  const auto take = [&](const auto& from, auto& to) {
    std::ranges::copy_if(from, std::back_inserter(to),
                         [&](const auto& one) { return is_within(one.time); });
  };
  take(data.iterations, part.iterations);
  take(data.loads, part.loads);
  take(data.scrapes, part.scrapes);
  return part;
}

}  // namespace rankscope::serving
