// The command lines `rankscope-agent snoop`, `offcpu` and `snoop-service`.
#pragma once

namespace rankscope::snoop {

// `words` are the program's, the second one is the command's name. Exit code: 0 done, 1 failed, 2
// bad usage.
int SnoopCommand(int count, char** words);
int OffCpuCommand(int count, char** words);
int ServiceCommand(int count, char** words);

}  // namespace rankscope::snoop
