#include "hta/iterations.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace rankscope::hta {
namespace {

constexpr std::string_view kStep = "ProfilerStep#";

// Begin or end of a step.
struct Border {
  std::int64_t ts = 0;
  std::size_t place = 0;  // of the step in the file
  std::int64_t number = kNone;
  bool is_begin = false;
};

std::vector<Border> BordersOf(const Frame& whole) {
  std::vector<Border> borders;
  for (std::size_t place = 0; place < whole.events.size(); ++place) {
    const Event& event = whole.events[place];
    const std::string_view name = whole.NameOf(event);
    if (!name.starts_with(kStep) || event.dur <= 0) continue;
    std::int64_t number = 0;
    const char* const digits = name.data() + kStep.size();
    if (std::from_chars(digits, name.data() + name.size(), number).ec != std::errc()) continue;
    borders.push_back({event.ts, place, number, true});
    borders.push_back({event.end(), place, number, false});
  }
  std::sort(borders.begin(), borders.end(),
            [](const Border& a, const Border& b) { return a.ts < b.ts; });
  return borders;
}

}  // namespace

Iterations::Iterations(const Frame& whole) {
  const std::vector<Border> borders = BordersOf(whole);
  std::map<std::size_t, std::int64_t> open;  // numbers by place in the file
  for (std::size_t i = 0; i < borders.size(); ++i) {
    if (borders[i].is_begin) {
      open.emplace(borders[i].place, borders[i].number);
    } else {
      open.erase(borders[i].place);
    }
    if (i + 1 < borders.size() && borders[i + 1].ts == borders[i].ts) continue;
    changes_.push_back({borders[i].ts, open.empty() ? kNone : open.rbegin()->second});
  }
}

std::int64_t Iterations::At(std::int64_t ts) const {
  const auto next = std::upper_bound(changes_.begin(), changes_.end(), ts,
                                     [](std::int64_t t, const Change& c) { return t < c.ts; });
  return next == changes_.begin() ? kNone : std::prev(next)->number;
}

}  // namespace rankscope::hta
