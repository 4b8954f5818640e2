// A copy of a program's source folder, so that a change can be tried without touching it.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::rerun {

// Copies what lies in `source` into the new folder `target`, but .git and __pycache__: files with
// their modes, links as links. kResource above 2 GB or 200,000 files, where a smaller folder or
// one without data has to be named.
Status CopyTree(const std::string& source, const std::string& target);

// A word of a command line, or a folder, that lies in `source` (by its absolute path, or seen from
// `from`) as the same place in `copy`; any other as it is. Words that name nothing are not touched.
std::string InCopy(const std::string& word, const std::string& source, const std::string& copy,
                   const std::string& from);

}  // namespace rankscope::rerun
