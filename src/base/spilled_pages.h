// For who jumps about in what lies in files (base/spilled_vector.h).
#pragma once

namespace rankscope {

// Lets go of the pages of all files when the process takes too much. The thread that looks after
// them may be late where all cores are busy, and a page that is touched brings its neighbours
// along; who touches new pages all the time calls this every few hundred times. About a
// microsecond, nothing where nothing lies in files. Thread-safe.
void KeepSpilledSmall();

}  // namespace rankscope
