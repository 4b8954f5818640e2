// Whether the files of a job are still those that were opened.
#pragma once

#include <string>
#include <vector>

namespace rankscope::app {

// A text that is another one when a trace, or telemetry, among `paths` was added, removed or
// written to: names, sizes and times of all. Of paths with nothing in them it has the reason. Reads
// no content: some 5 us a file.
std::string StateOfFiles(const std::vector<std::string>& paths);

}  // namespace rankscope::app
