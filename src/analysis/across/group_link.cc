#include "analysis/across/group_link.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "peaks/device_peaks.h"

namespace rankscope {
namespace {

// Where a rank ran, as all its traces say; `peaks` is null when they differ or the device is not
// known.
struct GroupLinkPlace {
  std::string_view host;
  const DevicePeaks* peaks = nullptr;
};

std::map<std::int64_t, GroupLinkPlace> PlacesOf(const JobContext& job) {
  std::map<std::int64_t, GroupLinkPlace> places;
  for (const Capture& capture : job.captures) {
    if (!capture.selected) continue;
    const GroupLinkPlace place{capture.host, FindPeaks(capture.device_name)};
    const auto [found, is_new] = places.emplace(capture.rank, place);
    if (is_new) continue;
    if (found->second.host != place.host || found->second.peaks != place.peaks) found->second = {};
  }
  return places;
}

}  // namespace

std::optional<double> ParseLink(std::string_view text) {
  double giga = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), giga);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !std::isfinite(giga) || giga <= 0) return std::nullopt;
  return giga * 1e9;
}

std::vector<double> GroupLinks(const JobCollectives& collectives, const JobContext& job,
                               double stated) {
  const std::map<std::int64_t, GroupLinkPlace> places = PlacesOf(job);
  std::vector<double> links;
  links.reserve(collectives.groups().size());
  for (const JobGroup& group : collectives.groups()) {
    GroupLinkPlace all;
    const bool is_listed =
        !group.ranks.empty() &&
        (group.size < 0 || group.size == static_cast<std::int64_t>(group.ranks.size()));
    const bool is_one =
        is_listed && std::all_of(group.ranks.begin(), group.ranks.end(), [&](std::int64_t rank) {
          const auto found = places.find(rank);
          if (found == places.end()) return false;
          if (all.host.empty()) all = found->second;
          const GroupLinkPlace& place = found->second;
          return !place.host.empty() && place.host == all.host && place.peaks == all.peaks;
        });
    const bool is_known = is_one && all.peaks != nullptr && all.peaks->link.value > 0;
    links.push_back(is_known ? all.peaks->link.value : stated);
  }
  return links;
}

}  // namespace rankscope
