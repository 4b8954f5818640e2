// The manual page, rankscope(1), made from the command line itself.
#pragma once

#include <string>
#include <string_view>

#include "cli/command_tree.h"

namespace rankscope::cli {

// In the language of man(7), as `man -l` and groff read it.
std::string ManualPage(const Command& root, std::string_view version);

}  // namespace rankscope::cli
