// The complete list of the program's commands.
#pragma once

#include "contract/command.h"

namespace rankscope::cli {

// Adds all commands, in the groups and the order of help, completion and the manual page. `program`
// must outlive the declarations.
void DeclareCommands(CommandSpec& program);

}  // namespace rankscope::cli
