// Finds trace files from what the user named: files, folders and globs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace rankscope {

struct FoundFiles {
  std::vector<std::string> paths;  // sorted, without duplicates
  // Folders below the named ones that could not be listed, and why: traces in them are missing.
  std::vector<std::pair<std::string, Status>> unlisted;
};

// Expands `paths`: a folder gives what ends as traces do (.json, .sqlite, .xplane.pb; packed as .gz
// or .zst too; hidden folders and the simulator's truth.json aside), a pattern with * ? [ what it matches, anything else itself.
// An error when a path does not exist, a named folder cannot be listed or nothing is found.
Result<FoundFiles> FindTraceFiles(const std::vector<std::string>& paths);

}  // namespace rankscope
