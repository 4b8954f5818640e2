#include "facts/places/sampled_code.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "facts/places/code_places.h"

namespace rankscope {
namespace {

// "cpu 1234 NAME (python)", as cpu_profile/trace_events.h names lanes.
std::optional<std::int64_t> ThreadOfLane(std::string_view lane) {
  constexpr std::string_view kBegin = "cpu ";
  if (!lane.starts_with(kBegin) || !lane.ends_with("(python)")) return std::nullopt;
  lane.remove_prefix(kBegin.size());
  std::int64_t thread = 0;
  const auto [end, error] = std::from_chars(lane.data(), lane.data() + lane.size(), thread);
  if (error != std::errc() || end == lane.data() + lane.size() || *end != ' ') return std::nullopt;
  return thread;
}

}  // namespace

SampledCode::SampledCode(const RankTrace& trace) {
  for (const Track& lane : trace.tracks) {
    if (lane.domain != Domain::kOther) continue;
    const auto thread = ThreadOfLane(trace.strings.Get(lane.name));
    if (!thread) continue;
    Stretches stretches = StretchesOf(trace, lane);
    if (!stretches.empty()) of_thread_.try_emplace(*thread, std::move(stretches));
  }
}

SampledCode::Stretches SampledCode::StretchesOf(const RankTrace& trace, const Track& lane) {
  struct Open {
    std::int64_t end = 0;
    StringId function = kEmptyString;  // the innermost one of the user's, of it and those around it
  };
  Stretches stretches;
  std::vector<Open> open;
  std::int64_t at = INT64_MIN;
  const auto pass_until = [&](std::int64_t t) {
    if (!open.empty() && t > at && open.back().function != kEmptyString) {
      const StringId function = open.back().function;
      const bool goes_on = !stretches.empty() && stretches.back().time.end == at &&
                           stretches.back().function == function;
      if (goes_on)
        stretches.back().time.end = t;
      else
        stretches.push_back({{at, t}, function});
    }
    at = std::max(at, t);
  };
  for (Row row = lane.begin; row < lane.end; ++row) {
    if (trace.kind[row] != EventKind::kCpuSample || trace.dur_ns[row] <= 0) continue;
    for (; !open.empty() && open.back().end <= trace.ts_ns[row]; open.pop_back())
      pass_until(open.back().end);
    pass_until(trace.ts_ns[row]);
    const StringId around = open.empty() ? kEmptyString : open.back().function;
    // "(sleeping)" is no function.
    const std::string_view name = trace.name_of(row);
    const bool is_users = !name.starts_with('(') && IsNameOfUsersFunction(name);
    open.push_back({trace.end_ns(row), is_users ? trace.name[row] : around});
  }
  for (; !open.empty(); open.pop_back()) pass_until(open.back().end);
  return stretches;
}

StringId SampledCode::At(std::int64_t thread, Interval time) const {
  const auto found = of_thread_.find(thread);
  if (found == of_thread_.end() || time.end <= time.begin) return kEmptyString;
  const Stretches& all = found->second;
  auto stretch = std::partition_point(
      all.begin(), all.end(), [&](const Stretch& one) { return one.time.end <= time.begin; });
  std::map<StringId, std::int64_t> times;
  for (; stretch != all.end() && stretch->time.begin < time.end; ++stretch)
    times[stretch->function] +=
        std::min(stretch->time.end, time.end) - std::max(stretch->time.begin, time.begin);
  const auto most = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool is_most = most != times.end() && most->second >= (time.end - time.begin + 1) / 2;
  return is_most ? most->first : kEmptyString;
}

}  // namespace rankscope
