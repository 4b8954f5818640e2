// Patches as a unified diff, for `git apply` and `patch -p1`.
#pragma once

#include <string>
#include <string_view>

#include "fix/base/request.h"

namespace rankscope::fix {

// Hunks with `context` lines around them, after the two lines with the path; "" for equal texts.
std::string UnifiedDiff(std::string_view path, std::string_view before, std::string_view after,
                        std::size_t context = 3);

// For all files. Before each file, lines that both programs ignore describe its changes: finding,
// gain, what and how to undo it.
std::string WriteDiff(const Patches& patches);

// What is left to the user, one line each: "train.py:31: host-sync: ...".
std::string LeftWords(const Left& left);

}  // namespace rankscope::fix
