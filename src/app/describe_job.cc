#include "app/describe_job.h"

#include <algorithm>

#include "insight/job_findings.h"

namespace rankscope::app {

Report DescribeJob(const Job& job, const std::string& called) {
  const JobContext& context = job.context();
  Report report;
  report.traces = called;
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
  for (const FindingEntry& finding : JobFindings()) {
    report.not_evaluated.emplace_back(finding.id, "this version has no rule for it");
  }
  return report;
}

}  // namespace rankscope::app
