// The command line `rankscope-agent snoop`.
#pragma once

namespace rankscope::snoop {

// `words`: the program's, with "snoop" as the second. The exit code: 0 done, 1 it could not, 2 bad
// usage.
int SnoopCommand(int count, char** words);

}  // namespace rankscope::snoop
