// The process that runs a maker's library. Calls arrive on its standard input, answers go to its
// standard output. A library that hangs, crashes or writes beyond its buffers harms only this
// process.
#pragma once

namespace rankscope::probe {

// Serves until its standard input ends, then shuts the library down. Output of the library goes to
// standard error. Returns the exit code of the process.
int ServeLibrary();

}  // namespace rankscope::probe
