// The files of a run of a store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "store/local_file.h"

namespace rankscope::app {

// The kind of a run. kTold: a job if there is a trace of any format, else a serving program.
enum class RunKind : std::uint8_t { kTold, kJob, kServing };

struct RunFiles {
  bool is_serving = false;
  std::vector<store::LocalFile> files;
};

// For a job the trace files of these paths, with telemetry and memory snapshots beside them; for a
// serving program the files that rankscope serving reads, including traces of its engine. Names are
// relative to the common parent folder; sorted by name. Unreadable folders, and files left out of a
// job because they belong to a serving program, are notices.
Result<RunFiles> FindRunFiles(const std::vector<std::string>& paths, RunKind kind,
                              Listener& listener);

// The runs in the named paths: one, or several that do not form one job. Each has a name relative
// to the common one ("" for a single run): its folder's path from the common parent folder, or its
// file's name without endings. Reads the traces (or the cache).
struct NamedRun {
  std::string name;
  std::vector<std::string> paths;
};
Result<std::vector<NamedRun>> RunsAmong(const std::vector<std::string>& paths, Listener& listener);

// The name of the folder above all files of the run.
Result<std::string> NameOfRun(const std::vector<std::string>& paths, RunKind kind);

}  // namespace rankscope::app
