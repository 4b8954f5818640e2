// What a server keeps in its folder beside runs: shared states of pages, and measured gains.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace rankscope::service {

// Those that are damaged, by their paths. Reads all; a server may be at work there.
std::vector<store::Problem> ProblemsBesideRuns(const std::string& data_folder);

}  // namespace rankscope::service
