// The common part of the completion scripts for bash and fish: both walk over the words before the
// cursor, and look up "COMMAND|WORD" to classify a word.
#pragma once

#include <string>
#include <vector>

#include "base/shell_words.h"
#include "cli/shell/command_tree.h"

namespace rankscope::cli {

std::string JoinWords(const std::vector<std::string>& words, const char* between = " ");

// Quoted keys of all top-level commands, of all deeper commands, and of all options that take a
// value.
std::vector<std::string> TopCommandKeys(const Command& root);
std::vector<std::string> DeeperCommandKeys(const Command& root);
std::vector<std::string> ValueOptionKeys(const Command& root);

// Names of a command's options, and of its subcommands.
std::vector<std::string> OptionNames(const Command& command);
std::vector<std::string> CommandNames(const Command& command);

}  // namespace rankscope::cli
