// Recognises recordings of a serving program by their content.
#pragma once

#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "serving/inputs/input_file.h"

namespace rankscope::app {

// Reads one file for rankscope serving. A trace of torch.profiler is not read here: `is_trace` says
// so. Compressed files are unpacked, up to 4 GiB. kNotFound: not a recording of a serving program.
Status ReadServingFile(const std::string& path, serving::Collection& to, bool& is_trace);

// Removes the recordings of single trials below the folder of a tuning (tune.json): each has
// different settings, so they must not be combined. A sentence in `notices` has their number.
std::vector<std::string> WithoutTrials(std::vector<std::string> paths,
                                       std::vector<std::string>& notices);

struct ServingFiles {
  std::vector<std::string> recordings;  // files that serving reads, except traces
  std::vector<std::string> traces;      // of torch.profiler: an engine's, or those of a job's ranks
  std::vector<std::string> notices;     // of recordings that cannot be read
};
// Takes files, folders and globs. Reads all files completely, except traces.
Result<ServingFiles> FindServingFiles(const std::vector<std::string>& paths, Listener& listener);

// True for recordings of a serving program without traces: `analyze` and the server then make a
// serving report. With a trace of any format among them it is a job, whatever else is there; the
// beginning of one file is enough to decide. False if it cannot be decided; then opening a job
// gives the error.
bool IsServing(const std::vector<std::string>& paths, Listener& listener);

}  // namespace rankscope::app
