#include "cli/describe_job.h"

#include <algorithm>

#include "catalog/list.h"
#include "cli/shell_words.h"
#include "insight/rule_ids.h"

namespace rankscope::cli {

Report DescribeJob(const Job& job) {
  const JobContext& context = job.context();
  Report report;
  report.ranks_are_chosen = job.options().captures.ranks.has_value();
  report.origin_ns = context.origin_ns;
  for (const Capture& capture : context.captures) {
    if (!capture.selected) continue;
    if (report.ranks.empty() || report.ranks.back() != capture.rank)
      report.ranks.push_back(capture.rank);
    report.world_size = std::max(report.world_size, capture.world_size);
    const bool is_new = std::find(report.devices.begin(), report.devices.end(),
                                  capture.device_name) == report.devices.end();
    if (is_new && !capture.device_name.empty()) report.devices.push_back(capture.device_name);
  }
  for (const RuleId& rule : RuleIds()) {
    report.not_evaluated.emplace_back(rule.id, "this version has no rule for it");
  }
  return report;
}

std::vector<Request> SummaryRequests() {
  std::vector<Request> requests;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->group == Group::kDefault && analysis->size == Size::kSummary)
      requests.push_back({analysis, {}});
  }
  return requests;
}

std::string TracesWords(const std::vector<std::string>& paths) {
  constexpr std::size_t kMostPaths = 3;
  if (paths.empty() || paths.size() > kMostPaths) return "TRACES";
  std::vector<std::string> words;
  words.reserve(paths.size());
  for (const std::string& path : paths) words.push_back(ShellWord(path));
  return JoinWords(words);
}

}  // namespace rankscope::cli
