// The manual page, rankscope(1), generated from the command line's declarations.
#pragma once

#include <string>
#include <string_view>

#include "cli/shell/command_tree.h"

namespace rankscope::cli {

// In man(7) format, for `man -l` and groff.
std::string ManualPage(const Command& root, std::string_view version);

}  // namespace rankscope::cli
