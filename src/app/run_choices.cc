#include "app/run_choices.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace rankscope::app {
namespace {

namespace fs = std::filesystem;

// The deepest folder above all of them.
fs::path FolderAbove(const std::vector<std::string>& paths) {
  fs::path common = fs::path(paths.front()).parent_path();
  for (const std::string& path : paths) {
    while (!common.empty() && !path.starts_with((common / "").string()) &&
           common != common.parent_path())
      common = common.parent_path();
  }
  return common;
}

// How many runs lie in each folder or below it.
std::map<std::string, std::set<std::size_t>> RunsByFolder(const std::vector<RunOfFiles>& runs) {
  std::map<std::string, std::set<std::size_t>> found;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const std::string& path : runs[run].paths) {
      for (fs::path folder = fs::path(path).parent_path(); !folder.empty();
           folder = folder.parent_path()) {
        found[folder.string()].insert(run);
        if (folder == folder.parent_path()) break;
      }
    }
  }
  return found;
}

}  // namespace

std::vector<RunChoice> ChoicesOf(const std::vector<RunOfFiles>& runs) {
  const auto by_folder = RunsByFolder(runs);
  std::vector<RunChoice> choices;
  for (const RunOfFiles& run : runs) {
    RunChoice choice{.ranks = {run.ranks.begin(), run.ranks.end()},
                     .device_name = run.device_name,
                     .paths = run.paths};
    const std::string folder = FolderAbove(run.paths).string();
    const auto found = by_folder.find(folder);
    if (found != by_folder.end() && found->second.size() == 1) choice.paths = {folder};
    std::ranges::sort(choice.paths);
    choices.push_back(std::move(choice));
  }
  std::ranges::sort(choices, {}, &RunChoice::paths);
  return choices;
}

}  // namespace rankscope::app
