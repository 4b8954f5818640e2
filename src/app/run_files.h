// The files of which a run of a store is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "store/local_file.h"

namespace rankscope::app {

// What a run is of. kTold: a job where there is a trace of any format, else what a serving program
// recorded.
enum class RunKind : std::uint8_t { kTold, kJob, kServing };

struct RunFiles {
  bool is_serving = false;
  std::vector<store::LocalFile> files;
};

// Of a job the trace files of these paths, and telemetry and memory snapshots beside them; of a
// serving program what rankscope serving reads, traces of its engine among it. Under names relative
// to the folder above all, by name. Folders that cannot be listed, and what is left out of a job
// for being a serving program's, are notices.
Result<RunFiles> FindRunFiles(const std::vector<std::string>& paths, RunKind kind,
                              Listener& listener);

// What was named as runs of their own: one, or several that make no job together, each with a name
// below that of all, "" for the one: its folder's path from the folder above all, or its file's
// name without endings. Reads the traces (or the cache).
struct NamedRun {
  std::string name;
  std::vector<std::string> paths;
};
Result<std::vector<NamedRun>> RunsAmong(const std::vector<std::string>& paths, Listener& listener);

// The name of the folder above all files of the run.
Result<std::string> NameOfRun(const std::vector<std::string>& paths, RunKind kind);

}  // namespace rankscope::app
