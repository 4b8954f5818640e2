#include "analysis/device/host_doing.h"

#include <algorithm>
#include <map>

#include "base/saturating.h"
#include "facts/places/code_places.h"
#include "graph/innermost_rows.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostThreads = 8;

}  // namespace

HostDoing::HostDoing(const TraceFacts& facts) : trace_(facts.trace()) {
  std::map<std::uint32_t, std::size_t> launches;
  for (const DeviceTime& device : facts.devices()) {
    for (const Row row : device.work) {
      if (const Row launch = trace_.link[row]; launch != kNoRow) ++launches[trace_.track[launch]];
    }
  }
  for (const auto& [track, count] : launches) threads_.push_back(track);
  std::stable_sort(threads_.begin(), threads_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return launches[a] > launches[b]; });
  if (threads_.size() > kMostThreads) threads_.resize(kMostThreads);
}

HostMoment HostDoing::MostIn(Interval gap, Row next) const {
  HostMoment found, in_python;
  std::int64_t longest = 0;
  const auto look_at = [&](std::uint32_t thread) {
    const auto [doing, time] = MostOf(gap, thread);
    if (doing.op == kEmptyString && doing.call == kEmptyString) {
      if (in_python.line == kEmptyString) in_python = doing;
      return false;
    }
    if (time <= longest) return false;
    found = doing;
    longest = time;
    return true;
  };
  const Row launch = next == kNoRow ? kNoRow : trace_.link[next];
  if (launch != kNoRow && look_at(trace_.track[launch])) return found;
  for (const std::uint32_t thread : threads_) look_at(thread);
  return longest > 0 ? found : in_python;
}

std::pair<HostMoment, std::int64_t> HostDoing::MostOf(Interval gap, std::uint32_t thread) const {
  std::map<HostMoment, std::int64_t> times;
  ForEachInnermostIn(trace_, thread, gap, [&](std::int64_t begin, std::int64_t end, Row row) {
    AddSaturating(times[At(row)], SaturatingSubtract(end, begin));
  });
  return *std::max_element(times.begin(), times.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
}

HostMoment HostDoing::At(Row row) const {
  HostMoment doing;
  if (row != kNoRow && trace_.kind[row] == EventKind::kRuntime) doing.call = trace_.name[row];
  for (; row != kNoRow; row = trace_.parent[row]) {
    const EventKind kind = trace_.kind[row];
    if (kind == EventKind::kCpuOp) {
      doing.op = trace_.name[row];
    } else if (kind == EventKind::kUserAnnotation && doing.range == kEmptyString &&
               !trace_.name_of(row).starts_with("ProfilerStep#")) {
      doing.range = trace_.name[row];
    } else if (doing.line == kEmptyString && IsUsersFunction(trace_, row)) {
      doing.line = trace_.name[row];
    }
  }
  return doing;
}

}  // namespace rankscope
