// Finds trace files from what the user named: files, folders and globs.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope {

// Expands `paths`: a folder gives every .json and .json.gz below it (hidden folders and the
// simulator's truth.json aside), a pattern with * ? [ what it matches, anything else itself.
// Sorted, without duplicates. An error when a path does not exist or nothing is found.
Result<std::vector<std::string>> FindTraceFiles(const std::vector<std::string>& paths);

}  // namespace rankscope
