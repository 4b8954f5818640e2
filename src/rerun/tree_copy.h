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

// A file or folder that lies in `source` (by its absolute path, or seen from `from`) as the same
// place in `copy`; any other, and what names nothing, as it is.
std::string InCopy(const std::string& path, const std::string& source, const std::string& copy,
                   const std::string& from);

// The same of a word of a command line that runs in the copy of `from`: a path with a slash, or the
// part behind the = of --option=PATH. Seen from a folder in the source, what is no absolute path
// means the copy as it stands.
std::string WordInCopy(const std::string& word, const std::string& source, const std::string& copy,
                       const std::string& from);

}  // namespace rankscope::rerun
