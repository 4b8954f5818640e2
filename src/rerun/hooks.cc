#include "rerun/hooks.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file.h"

namespace rankscope::rerun {

Result<std::string> WriteHooks(const std::string& folder) {
  const std::filesystem::path package = std::filesystem::path(folder) / "rankscope_hooks";
  for (const HookFile& file : HookFiles()) {
    const std::filesystem::path path = package / file.path;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error)
      return Error(StatusCode::kIo, "{}: {}", path.parent_path().string(), error.message());
    RS_RETURN_IF_ERROR(WriteFileAtomically(path.string(), file.text));
  }
  return (package / "inject").string();
}

std::map<std::string, std::string> EnvironmentOf(const HookWish& wish, const std::string& hooks) {
  const char* const path = std::getenv("PYTHONPATH");
  const bool has_path = path != nullptr && *path != '\0';
  return {{"PYTHONPATH", has_path ? hooks + ":" + path : hooks},
          // What Python would write beside the hooks and the sources is of no use there.
          {"PYTHONDONTWRITEBYTECODE", "1"},
          {"RANKSCOPE_HOOKS_OUT", wish.out},
          {"RANKSCOPE_HOOKS_RECORD", wish.records ? "1" : "0"},
          {"RANKSCOPE_HOOKS_WARMUP", std::to_string(wish.warmup)},
          {"RANKSCOPE_HOOKS_STEPS", std::to_string(wish.steps)},
          {"RANKSCOPE_HOOKS_STOP", wish.ends_behind ? "1" : "0"},
          {"RANKSCOPE_HOOKS_TREE", wish.tree}};
}

}  // namespace rankscope::rerun
