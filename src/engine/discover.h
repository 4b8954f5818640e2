// Finds trace files from what the user named: files, folders and globs.
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
  // Folders below the named ones that could not be listed, and why: traces in them are missing.
  std::vector<std::pair<std::string, Status>> unlisted;
  std::string snapshot;  // a memory snapshot (.pickle) that was passed over; "" without one
};

// One trace to read: a file, or one of several in it (TraceFormat::parts).
struct TraceInput {
  std::string file;
  int part = -1;     // kWholeFile of formats/base/file_part.h
  int parts = 1;     // of the file
  std::string name;  // the file, or behind it a slash and its name
  // An execution trace of the same process, which is read with it; "" without one.
  std::string execution_trace = {};
  std::int64_t rank = -1;  // that stands beside the file; -1: none does
};

// The traces of these files. A file whose parts cannot be read stands for itself: reading it says
// what is wrong. An execution trace goes with the Kineto trace of the process that it states; of
// several with the one in its folder, then with the one whose name has the same numbers. Where none
// or more than one are left it stands for itself, too.
std::vector<TraceInput> TracesIn(const std::vector<std::string>& files);

// Expands `paths`: a folder gives what ends as traces do (.json, .sqlite, .xplane.pb; packed as .gz
// or .zst too; hidden folders, the simulator's truth.json and what stands beside Ascend's traces
// and XPlane files aside), a pattern with * ? [ what it matches, anything else itself. Telemetry
// goes with traces and is none. An error when a path does not exist, a named folder cannot be
// listed or no trace is found.
Result<FoundFiles> FindTraceFiles(const std::vector<std::string>& paths);

// Memory snapshots below the folders among `paths`: NAME.pickle, packed as .gz or .zst too. Sorted.
std::vector<std::string> FindMemorySnapshots(const std::vector<std::string>& paths);

// The same whatever the names of files in folders are, but for hidden ones.
Result<FoundFiles> FindFiles(const std::vector<std::string>& paths);

}  // namespace rankscope
