// Splits a run whose files are recordings of several runs, which make no job together: somebody
// uploaded a folder of independent traces.
#pragma once

#include <string>
#include <vector>

#include "store/run.h"

namespace rankscope::service {

// `paths`: for each part its folder, or its files, by names of the run's files. Each part has the
// run's name with that of its folder or first file (as `rankscope push --all` names them), the
// run's tags and "set=NAME OF THE RUN", and its own files, with the program's code. The first part
// is the run itself, which keeps what belongs to no part; the others are new, in state kQueued,
// with a key each: made twice they are the same runs. Empty if two parts share a file or one has
// none.
std::vector<store::Run> PartsOf(const store::Run& run,
                                const std::vector<std::vector<std::string>>& paths);

}  // namespace rankscope::service
