// The hooks of python/rankscope_hooks, which time and record a program's training steps: they are
// part of the program, and are written to a folder to be used.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::rerun {

struct HookFile {
  std::string_view path;  // below the folder of the package, with `/`
  std::string_view text;
};
// Made by cmake/hooks.cmake while building.
std::span<const HookFile> HookFiles();

// Writes the package into a new folder below `folder`. What it returns is to stand first in
// PYTHONPATH.
Result<std::string> WriteHooks(const std::string& folder);

}  // namespace rankscope::rerun
