// Parses the command line by the program's declarations. Only parse.cc includes CLI11, which is
// slow to compile.
#pragma once

#include <string>
#include <vector>

#include "contract/command.h"

namespace rankscope::cli {

// Parses the arguments (without the program's name), fills the targets of the given options and
// runs the command. Prints help, the version and errors in the arguments. Returns the exit
// code.
int RunCommandLine(const CommandSpec& program, const std::vector<std::string>& arguments);

}  // namespace rankscope::cli
