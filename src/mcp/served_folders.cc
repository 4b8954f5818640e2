#include "mcp/served_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace rankscope::mcp {
namespace {

namespace fs = std::filesystem;

// Absolute, links followed as far as there is something, without a slash behind.
std::string Canonical(const std::string& path) {
  std::error_code error;
  std::string text = fs::weakly_canonical(fs::absolute(path, error), error).string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

bool LiesIn(const std::string& path, const std::string& folder) {
  return path == folder || folder == "/" || path.starts_with(folder + "/");
}

}  // namespace

ServedFolders::ServedFolders(const std::vector<std::string>& folders,
                             const std::vector<std::string>& paths) {
  for (const std::string& folder : folders) folders_.push_back(Canonical(folder));
  if (!folders_.empty()) return;
  for (const std::string& path : paths)
    folders_.push_back(fs::path(Canonical(path)).parent_path().string());
}

Result<std::string> ServedFolders::Allowed(const std::string& path) const {
  const std::string canonical = Canonical(path);
  const bool is_allowed = std::ranges::any_of(
      folders_, [&](const std::string& folder) { return LiesIn(canonical, folder); });
  if (!is_allowed)
    return Error(StatusCode::kInvalidArgument,
                 "'{}' lies outside of what this server may read ({}); rankscope mcp --within "
                 "FOLDER names another folder",
                 path, fmt::join(folders_, ", "));
  std::error_code error;
  if (!fs::exists(canonical, error))
    return Error(StatusCode::kNotFound, "there is no '{}' ({})", path, canonical);
  return canonical;
}

}  // namespace rankscope::mcp
