// Repositories: the places of the code of runs that state their commit.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "store/run.h"

namespace rankscope::service {

class Repositories {
 public:
  // Each is FOLDER, for runs of all teams, or TEAM=FOLDER; the folder is a git repository, bare or
  // not. kInvalidArgument for one that does not exist.
  static Result<Repositories> Of(const std::vector<std::string>& words);

  // The folder with a run's code, by its team; "" without one.
  std::string_view FolderOf(const store::Run& run) const;

 private:
  std::vector<std::pair<std::string, std::string>> folders_;  // team or kAllTeams, absolute path
};

// The tag that names a run's commit, when it looks like one; "" otherwise.
std::string_view CommitOf(const store::Run& run);

}  // namespace rankscope::service
