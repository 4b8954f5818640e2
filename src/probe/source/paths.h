// Paths of specifications on this machine: below /sys and /proc of a root, with `*` and `?`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::probe {

// Paths that match the pattern below `root`, without the root, in natural order (accel2 before
// accel10). At most 4096. A pattern without wildcards matches itself if it exists.
std::vector<std::string> Matches(const std::string& root, std::string_view pattern);

// Whether `path`, after following links, lies below /sys or /proc of `root`.
bool IsAllowed(const std::string& root, const std::string& path);

// The folder's component that the pattern's last wildcard matched: "card0" for
// /sys/class/drm/card0/device and /sys/class/drm/card*/device.
std::string NameOfMatch(std::string_view folder, std::string_view pattern);

}  // namespace rankscope::probe
