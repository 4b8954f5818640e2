// The hooks of python/rankscope_hooks, which time and record a program's training steps: they are
// part of the program, and are written to a folder to be used.
#pragma once

#include <map>
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

// What hooks are to do in the processes of a command.
struct HookWish {
  std::string out;  // the folder that they write to
  bool records = false;
  int warmup = 5;            // steps that are neither timed nor recorded
  int steps = 0;             // that are timed or recorded; 0: all are timed
  bool ends_behind = false;  // the processes end behind these
  std::string tree = "";  // a folder: processes that run Python code of it say so (RanCodeOfTree)
};
// The environment that asks for it. `hooks` is what WriteHooks returned.
std::map<std::string, std::string> EnvironmentOf(const HookWish& wish, const std::string& hooks);

}  // namespace rankscope::rerun
