#include "service/runs/repositories.h"

#include <algorithm>
#include <filesystem>

#include "service/access/access.h"

namespace rankscope::service {

namespace fs = std::filesystem;

Result<Repositories> Repositories::Of(const std::vector<std::string>& words) {
  Repositories all;
  for (const std::string& word : words) {
    std::error_code error;
    // A folder may have the sign in its name, a team that is none of a path may not.
    const std::size_t equals = fs::is_directory(word, error) ? word.npos : word.find('=');
    const std::string team = equals == word.npos ? std::string(kAllTeams) : word.substr(0, equals);
    const std::string folder = equals == word.npos ? word : word.substr(equals + 1);
    if (team.empty() || !fs::is_directory(folder, error))
      return Error(StatusCode::kInvalidArgument,
                   "--repository {}: there is no folder {}; FOLDER or TEAM=FOLDER is taken", word,
                   folder);
    all.folders_.emplace_back(team, fs::absolute(folder).lexically_normal().string());
  }
  return all;
}

std::string_view Repositories::FolderOf(const store::Run& run) const {
  for (const std::string_view team : {std::string_view(run.team), kAllTeams}) {
    const auto found = std::ranges::find(
        folders_, team, [](const auto& one) { return std::string_view(one.first); });
    if (found != folders_.end()) return found->second;
  }
  return "";
}

std::string_view CommitOf(const store::Run& run) {
  const auto found = run.tags.find("commit");
  if (found == run.tags.end()) return "";
  const std::string_view commit = found->second;
  const bool is_name = commit.size() >= 7 && commit.size() <= 64 &&
                       commit.find_first_not_of("0123456789abcdef") == commit.npos;
  return is_name ? commit : "";
}

}  // namespace rankscope::service
