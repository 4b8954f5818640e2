// The command lines `rankscope-agent snoop`, `offcpu` and `snoop-service`.
#pragma once

namespace rankscope::snoop {

// `words`: the program's, with the command's name as the second. The exit code: 0 done, 1 it could
// not, 2 bad usage.
int SnoopCommand(int count, char** words);
int OffCpuCommand(int count, char** words);
int ServiceCommand(int count, char** words);

}  // namespace rankscope::snoop
