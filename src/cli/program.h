// The command line of the program: every command, once.
#pragma once

#include "contract/command.h"

namespace rankscope::cli {

// Adds all commands, in the groups and the order in which help, completion and the manual page have
// them. `program` outlives what is declared.
void DeclareCommands(CommandSpec& program);

}  // namespace rankscope::cli
