// Names of nodes as Slurm writes them: "gpu[01-03,7],login1".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::fleet {

inline constexpr std::size_t kMostHosts = 100'000;

// In their order, leading zeros kept. kBadData for what is none, or is more than kMostHosts.
Result<std::vector<std::string>> ExpandHostList(std::string_view text);

}  // namespace rankscope::fleet
