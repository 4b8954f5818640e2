// Scripts that complete rankscope's command line in a shell, made from the command line itself.
// They hold all words that they offer, so that no key press runs the program.
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace rankscope::cli {

std::string BashCompletion(const Command& root);
std::string ZshCompletion(const Command& root);
std::string FishCompletion(const Command& root);

}  // namespace rankscope::cli
