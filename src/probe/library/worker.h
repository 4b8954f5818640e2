// The process that has a maker's library in it: calls come by its standard input, answers go to its
// standard output. A library that hangs, crashes or writes beyond its buffers harms this process
// alone.
#pragma once

namespace rankscope::probe {

// Serves until its standard input ends, then shuts the library down. What the library prints goes
// to standard error. The exit code of the process.
int ServeLibrary();

}  // namespace rankscope::probe
