// Other data in a server's folder beside runs: shared states of pages, and measured gains.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace rankscope::service {

// The folders of the store's that hold them.
inline constexpr std::array<std::string_view, 2> kFoldersBesideRuns = {"shares", "gains"};

// Those that are damaged, by their paths. Reads all; a server may be at work there.
std::vector<store::Problem> ProblemsBesideRuns(const std::string& data_folder);

}  // namespace rankscope::service
