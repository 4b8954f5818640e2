// Patches as a unified diff, which `git apply` and `patch -p1` take.
#pragma once

#include <string>
#include <string_view>

#include "fix/base/request.h"

namespace rankscope::fix {

// Hunks with `context` lines around, below the two lines with the path; "" for equal texts.
std::string UnifiedDiff(std::string_view path, std::string_view before, std::string_view after,
                        std::size_t context = 3);

// Of all files; before each stand its changes in words, in lines that both programs skip: finding,
// gain, what and how to undo it.
std::string WriteDiff(const Patches& patches);

// What is left to the user, a line each: "train.py:31: host-sync: ...".
std::string LeftWords(const Left& left);

}  // namespace rankscope::fix
