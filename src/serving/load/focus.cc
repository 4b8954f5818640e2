#include "serving/load/focus.h"

#include <algorithm>
#include <map>
#include <string>

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

namespace {

// Counters tell what was gained between two scrapes: of each replica the last before and the first
// behind, too.
void TakeScrapes(const std::vector<Scrape>& from, std::int64_t begin, std::int64_t end,
                 std::vector<Scrape>& to) {
  std::map<std::string, std::int64_t> first, last;
  for (const Scrape& one : from) {
    if (!one.time) continue;
    if (*one.time <= begin) {
      const auto [at, is_new] = first.emplace(one.replica, *one.time);
      at->second = std::max(at->second, *one.time);
    }
    if (*one.time >= end) {
      const auto [at, is_new] = last.emplace(one.replica, *one.time);
      at->second = std::min(at->second, *one.time);
    }
  }
  for (const Scrape& one : from) {
    if (!one.time) continue;
    const auto before = first.find(one.replica), behind = last.find(one.replica);
    const bool is_after = before == first.end() || *one.time >= before->second;
    const bool is_until = behind == last.end() || *one.time <= behind->second;
    if (is_after && is_until) to.push_back(one);
  }
}

}  // namespace

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
  // By another clock nothing tells what was recorded meanwhile: all of it may have been.
  const auto is_within = [&](Ns moment) {
    return !level.has_wall_clock || (moment && *moment >= begin && *moment <= end);
  };
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
  if (level.has_wall_clock) {
    TakeScrapes(data.scrapes, begin, end, part.scrapes);
  } else {
    part.scrapes = data.scrapes;
  }
  return part;
}

}  // namespace rankscope::serving
