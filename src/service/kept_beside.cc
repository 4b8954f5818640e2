#include "service/kept_beside.h"

#include <string_view>

#include "audit/open_lines.h"
#include "audit/read.h"
#include "service/access/shares.h"
#include "service/changes/gains.h"

namespace rankscope::service {

namespace {

void AppendProblemsOfAudit(const std::string& data_folder, std::vector<store::Problem>& problems) {
  const std::string path = data_folder + "/audit";
  const auto lines = audit::OpenLines(data_folder, "");
  if (lines.status().code() == StatusCode::kNotFound) return;
  const auto verified =
      lines.ok() ? audit::Verify(**lines) : Result<audit::Verified>(lines.status());
  if (!verified.ok()) {
    problems.push_back({path, verified.status().message()});
    return;
  }
  for (const std::string& problem : verified->problems) problems.push_back({path, problem});
  if (verified->more_problems > 0)
    problems.push_back({path, fmt::format("{} more lines are damaged", verified->more_problems)});
}

}  // namespace

std::vector<store::Problem> ProblemsBesideRuns(const std::string& data_folder) {
  std::vector<store::Problem> problems;
  for (std::string& path : FolderShares::DamagedIn(data_folder + "/shares"))
    problems.push_back({std::move(path), "the state that was shared is damaged: nobody gets it"});
  const FolderGains gains(data_folder + "/gains", "", [&](std::string_view message) {
    const std::size_t end = message.find(": ");
    problems.push_back({std::string(message.substr(0, end)), std::string(message.substr(end + 2))});
  });
  AppendProblemsOfAudit(data_folder, problems);
  return problems;
}

}  // namespace rankscope::service
