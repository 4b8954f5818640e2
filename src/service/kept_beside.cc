#include "service/kept_beside.h"

#include <string_view>

#include "service/access/shares.h"
#include "service/changes/gains.h"

namespace rankscope::service {

std::vector<store::Problem> ProblemsBesideRuns(const std::string& data_folder) {
  std::vector<store::Problem> problems;
  for (std::string& path : FolderShares::DamagedIn(data_folder + "/shares"))
    problems.push_back({std::move(path), "the state that was shared is damaged: nobody gets it"});
  const FolderGains gains(data_folder + "/gains", "", [&](std::string_view message) {
    const std::size_t end = message.find(": ");
    problems.push_back({std::string(message.substr(0, end)), std::string(message.substr(end + 2))});
  });
  return problems;
}

}  // namespace rankscope::service
