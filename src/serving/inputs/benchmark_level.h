// A benchmark of another load generator as a level of load.
#pragma once

#include <span>

#include "serving/inputs/input_file.h"

namespace rankscope::serving {

// Gives `requests`, of one benchmark, the next free number of a level, and adds `level` with that
// number; it began with the first request, and lasts until one more would have come. Nothing where
// fewer than two requests have an arrival, or all have the same.
void AddBenchmarkLevel(LoadLevel level, std::span<Request> requests, Collection& to);

}  // namespace rankscope::serving
