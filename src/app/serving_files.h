// Files of what a serving program recorded, told from others by what is in them.
#pragma once

#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "serving/inputs/input_file.h"

namespace rankscope::app {

// What rankscope serving reads of one file. Of a trace of torch.profiler nothing is read here:
// `is_trace` says so. Packed files are read as what they hold, up to 4 GiB. kNotFound: it is
// nothing of a serving program.
Status ReadServingFile(const std::string& path, serving::Collection& to, bool& is_trace);

// Without the recordings of single trials that lie below the folder of a tuning (tune.json): each
// is of other settings, and together they say nothing. A sentence of `notices` says how many.
std::vector<std::string> WithoutTrials(std::vector<std::string> paths,
                                       std::vector<std::string>& notices);

struct ServingFiles {
  std::vector<std::string> recordings;  // what serving reads, but for traces
  std::vector<std::string> traces;      // of torch.profiler: of an engine, or of a job's ranks
  std::vector<std::string> notices;     // of recordings that cannot be read
};
// Of files, folders and globs. Reads all files but traces to their end.
Result<ServingFiles> FindServingFiles(const std::vector<std::string>& paths, Listener& listener);

// Whether these are recordings of a serving program and no traces: what `analyze` and the server
// make a report of serving of. With a trace of any format among them it is a job, whatever lies
// beside; one file's begin tells that. False where nothing can be told, which opening a job says.
bool IsServing(const std::vector<std::string>& paths, Listener& listener);

}  // namespace rankscope::app
