// A run in the form of the API.
#pragma once

#include <string>

#include "api/run.h"
#include "store/run.h"

namespace rankscope::service {

// `progress` is told while it is analysed.
api::Run ShownOf(const store::Run& run, double progress);

// A memory snapshot, by its name: NAME.pickle, .pickle.gz or .pickle.zst. Analyses of traces skip
// it.
bool IsMemorySnapshot(std::string_view file);
// Whether the program's code came with the traces.
bool HasSource(const store::Run& run);

std::string IsoTime(std::int64_t seconds);

}  // namespace rankscope::service
