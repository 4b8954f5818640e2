// The command line by the program's declared commands. The only file that knows CLI11, which is
// slow to compile, is parse.cc.
#pragma once

#include <string>
#include <vector>

#include "contract/command.h"

namespace rankscope::cli {

// Parses the arguments (without the program's name), fills the targets of what was given and runs
// the command. Help, the version and what is wrong with the arguments are written here. Returns the
// exit code.
int RunCommandLine(const CommandSpec& program, const std::vector<std::string>& arguments);

}  // namespace rankscope::cli
