// Paths of specifications on this machine: below /sys and /proc of a root, with `*` and `?`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::probe {

// What a pattern means below `root`, without the root, in natural order (accel2 before accel10). At
// most 4096. A pattern without wildcards is itself where it exists.
std::vector<std::string> Matches(const std::string& root, std::string_view pattern);

// Whether `path`, links followed, lies below /sys or /proc of `root`.
bool IsAllowed(const std::string& root, const std::string& path);

// The part of a folder that the last wildcard of the pattern met: "card0" of
// /sys/class/drm/card0/device by /sys/class/drm/card*/device.
std::string NameOfMatch(std::string_view folder, std::string_view pattern);

}  // namespace rankscope::probe
