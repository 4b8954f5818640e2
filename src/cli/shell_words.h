// What the completion scripts of bash and fish share: both walk over the words before the cursor,
// and look up "COMMAND|WORD" to learn what a word is.
#pragma once

#include <string>
#include <vector>

#include "base/shell_words.h"
#include "cli/command_tree.h"

namespace rankscope::cli {

std::string JoinWords(const std::vector<std::string>& words, const char* between = " ");

// Quoted keys of all commands right below the root, of all that are deeper, and of all options that
// take a value.
std::vector<std::string> TopCommandKeys(const Command& root);
std::vector<std::string> DeeperCommandKeys(const Command& root);
std::vector<std::string> ValueOptionKeys(const Command& root);

// Names of the options of a command, and of the commands below it.
std::vector<std::string> OptionNames(const Command& command);
std::vector<std::string> CommandNames(const Command& command);

}  // namespace rankscope::cli
