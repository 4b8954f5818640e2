// The files of which a run of a store is made.
#pragma once

#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "store/local_file.h"

namespace rankscope::app {

// The trace files of these paths, and telemetry and memory snapshots beside them, under names
// relative to the folder above all, by name. Folders that cannot be listed are notices.
Result<std::vector<store::LocalFile>> FindRunFiles(const std::vector<std::string>& paths,
                                                   Listener& listener);

// What was named as runs of their own: one, or several that make no job together, each with a name
// below that of all, "" for the one: its folder's path from the folder above all, or its file's
// name without endings. Reads the traces (or the cache).
struct NamedRun {
  std::string name;
  std::vector<std::string> paths;
};
Result<std::vector<NamedRun>> RunsAmong(const std::vector<std::string>& paths, Listener& listener);

// The name of the folder above all trace files.
Result<std::string> NameOfRun(const std::vector<std::string>& paths);

}  // namespace rankscope::app
