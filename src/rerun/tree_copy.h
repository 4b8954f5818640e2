// A copy of a program's source folder, so that a change can be tried without touching it.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::rerun {

// Copies the content of `source`, without .git and __pycache__, into the new folder `target`: files
// with their modes, links as links. kResource above 2 GB or 200,000 files; the user must then name
// a smaller folder or one without data.
Status CopyTree(const std::string& source, const std::string& target);

// Maps a file or folder inside `source` (by its absolute path, or relative to `from`) to the same
// place in `copy`. Other paths, and paths that do not exist, are returned unchanged.
std::string InCopy(const std::string& path, const std::string& source, const std::string& copy,
                   const std::string& from);

// The same for a word of a command line that runs in the copy of `from`: a path with a slash, or
// the part after the = of --option=PATH. If `from` is inside the source, relative paths already
// refer to the copy and stay unchanged.
std::string WordInCopy(const std::string& word, const std::string& source, const std::string& copy,
                       const std::string& from);

}  // namespace rankscope::rerun
