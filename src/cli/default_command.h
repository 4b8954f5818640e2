// What a command line means that names no command.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "contract/command.h"

namespace rankscope::cli {

// The arguments (without the program's name) as the app takes them: nothing at all asks for help,
// `help trace info` is `trace info --help`, `version` is `--version`, and a path in place of a
// command is analysed, with options before it, too. A first word that is none of these is an error
// with the command or table that may have been meant.
Result<std::vector<std::string>> WithCommand(const CommandSpec& program,
                                             std::vector<std::string> arguments);

}  // namespace rankscope::cli
