// Node names in Slurm's notation: "gpu[01-03,7],login1".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::fleet {

inline constexpr std::size_t kMostHosts = 100'000;

// In list order, with leading zeros. kBadData if invalid or longer than kMostHosts.
Result<std::vector<std::string>> ExpandHostList(std::string_view text);

}  // namespace rankscope::fleet
