// Finds trace files from the user's paths: files, folders and globs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace rankscope {

struct FoundFiles {
  std::vector<std::string> paths;  // sorted, without duplicates
  std::vector<std::string>
      telemetry;  // files beside them: NAME.telemetry.json, NAME.snoop.json, ...
  // Subfolders that could not be listed, and why; traces in them are missing.
  std::vector<std::pair<std::string, Status>> unlisted;
  std::string snapshot;  // a skipped memory snapshot (.pickle); "" without one
};

// One trace to read: a file, or one of several in it (TraceFormat::parts).
struct TraceInput {
  std::string file;
  int part = -1;     // kWholeFile of formats/base/file_part.h
  int parts = 1;     // of the file
  std::string name;  // the file, or the file, a slash and the part's name
  // An execution trace of the same process, read with it; "" without one.
  std::string execution_trace = {};
  std::int64_t rank = -1;  // stated beside the file; -1: none
};

// The traces in these files. A file with unreadable parts is kept as one input; reading it gives
// the error. An execution trace is assigned to the Kineto trace of its process; of several, to the
// one in its folder, then to the one with the same numbers in its name. If none or more than one
// remain, it is kept as a separate input.
std::vector<TraceInput> TracesIn(const std::vector<std::string>& files);

// Expands `paths`. A folder gives the files with trace endings (.json, .sqlite, .xplane.pb, also
// with .gz or .zst), except in hidden folders, the simulator's truth.json, and files beside
// Ascend's traces and XPlane files. A pattern with * ? [ gives its matches; any other path itself.
// Telemetry belongs to traces and is not a trace. An error if a path does not exist, a named folder
// cannot be listed or no trace is found.
Result<FoundFiles> FindTraceFiles(const std::vector<std::string>& paths);

// Memory snapshots below the folders in `paths`: NAME.pickle, also with .gz or .zst. Sorted.
std::vector<std::string> FindMemorySnapshots(const std::vector<std::string>& paths);

// The same for all files in folders, whatever their names, except hidden ones.
Result<FoundFiles> FindFiles(const std::vector<std::string>& paths);

}  // namespace rankscope
