// Completion scripts for shells, generated from the command line's declarations. They contain all
// words that they complete, so that no key press runs the program.
#pragma once

#include <string>

#include "cli/shell/command_tree.h"

namespace rankscope::cli {

std::string BashCompletion(const Command& root);
std::string ZshCompletion(const Command& root);
std::string FishCompletion(const Command& root);

}  // namespace rankscope::cli
