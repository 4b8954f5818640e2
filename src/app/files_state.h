// Detects changes of a job's files after it was opened.
#pragma once

#include <string>
#include <vector>

namespace rankscope::app {

// A text that changes when a trace or telemetry file in `paths` is added, removed or written to: it
// has the names, sizes and times of all files. For empty paths it has the reason. Reads no content:
// some 5 us per file.
std::string StateOfFiles(const std::vector<std::string>& paths);

}  // namespace rankscope::app
