// diff_call_tree: the merged call trees of two jobs.
#pragma once

#include "compare/diff_rows.h"

namespace rankscope {

// Frames are phases, modules, the annotations and ops of a path, and kernels, copies or causes of
// idle time. Matched work is one frame, at BASE's place. Depth first, siblings sorted by their
// time.
Table CallTreeDiff(const PairedSums& all, const Measures& base, const Measures& test);

}  // namespace rankscope
