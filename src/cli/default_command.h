// Interprets a command line that names no command.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "contract/command.h"

namespace rankscope::cli {

// Converts the arguments (without the program's name) to a form with a command. No arguments become
// --help, `help trace info` becomes `trace info --help`, `version` becomes `--version`. A path
// instead of a command is analysed, also after options. Any other first word is an error that
// suggests the most similar command or table.
Result<std::vector<std::string>> WithCommand(const CommandSpec& program,
                                             std::vector<std::string> arguments);

}  // namespace rankscope::cli
