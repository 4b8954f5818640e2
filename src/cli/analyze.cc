#include <algorithm>
#include <iterator>

#include "catalog/list.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/html_report.h"
#include "report/html_tables.h"
#include "report/json_report.h"
#include "report/table_view.h"
#include "report/text_report.h"
#include "schemas/steps.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  JobArguments job;
  std::string format = "text";
  std::string output;
  std::string fail_on;
};

// The causes of slowness that the project knows. This version measures; it has no rule that names a
// cause yet.
constexpr std::string_view kFindingIds[] = {"slow-gpu",
                                            "slow-host",
                                            "data-starvation",
                                            "data-straggler",
                                            "host-sync",
                                            "launch-bound",
                                            "exposed-communication",
                                            "slow-link",
                                            "network-jitter",
                                            "sharding-imbalance",
                                            "expert-imbalance",
                                            "sequence-imbalance",
                                            "pipeline-bubble",
                                            "pipeline-stage-imbalance",
                                            "allocator-thrash",
                                            "memory-leak",
                                            "memory-pressure",
                                            "no-tensor-cores",
                                            "low-roofline",
                                            "pageable-copy",
                                            "redundant-copies",
                                            "unfused-optimizer",
                                            "gc-pause",
                                            "checkpoint-stall",
                                            "recompilation",
                                            "small-collectives",
                                            "redundant-collectives",
                                            "cpu-contention",
                                            "power-throttle",
                                            "underused-gpu",
                                            "queueing",
                                            "small-batches",
                                            "kv-cache-pressure"};

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
  for (const std::string_view id : kFindingIds) {
    report.not_evaluated.emplace_back(id, "this version has no rule for it");
  }
  return report;
}

// A gate on a cause that nothing looks for would always be open: better to say so than to let a job
// pass unchecked.
Status CheckGate(const std::string& fail_on) {
  if (fail_on.empty()) return OkStatus();
  const bool is_known =
      fail_on == "high" ||
      std::find(std::begin(kFindingIds), std::end(kFindingIds), fail_on) != std::end(kFindingIds);
  if (!is_known)
    return Error(StatusCode::kInvalidArgument,
                 "--fail-on takes high or the id of a finding, not '{}'", fail_on);
  return Error(StatusCode::kNotFound,
               "--fail-on {} cannot be decided: this version has no rule for any finding", fail_on);
}

std::string Write(const Report& report, const Arguments& arguments) {
  if (arguments.format == "json") return WriteJsonReport(report);
  if (arguments.format == "html") return WriteHtmlReport(report);
  return WriteTextReport(report, {.colour = arguments.output.empty() && TakesColour()});
}

// All summaries; a page with plots also has a few bounded details.
Result<std::vector<Request>> RequestsFor(const std::string& format) {
  std::vector<Request> requests;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->group == Group::kDefault && analysis->size == Size::kSummary)
      requests.push_back({analysis, {}});
  }
  if (format != "html") return requests;
  for (const DrawnTable& drawn : DrawnTables()) {
    if (!drawn.is_detail) continue;
    RS_ASSIGN_OR_RETURN(const Analysis* analysis, FindAnalysis(drawn.name));
    requests.push_back({analysis, OptionsOf(drawn)});
  }
  return requests;
}

Status Run(const Arguments& arguments) {
  RS_RETURN_IF_ERROR(CheckGate(arguments.fail_on));
  RS_ASSIGN_OR_RETURN(const std::vector<Request> requests, RequestsFor(arguments.format));
  RS_ASSIGN_OR_RETURN(const auto job, arguments.job.Open(requests));
  Report report = DescribeJob(*job);
  RS_ASSIGN_OR_RETURN(report.tables, job->RunAll(requests));
  TellLost(*job);
  if (job->options().steps && RowsOf<StepTimes>(report).empty()) {
    return Error(StatusCode::kNotFound,
                 "no recording has a step that --steps names; see: rankscope table step_times");
  }
  return WriteOutput(arguments.output, Write(report, arguments));
}

}  // namespace

void AddAnalyze(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("analyze", "say where the time of a job goes");
  auto arguments = std::make_shared<Arguments>();
  arguments->job.AddTo(*command);
  command->add_option("--format", arguments->format, "text, json or html")
      ->check(CLI::IsMember({"text", "json", "html"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "write to this file")->type_name(kFileType);
  command->add_option("--fail-on", arguments->fail_on,
                      "exit with 3 when this finding, or one of high severity, is made");
  command->footer("Example:\n  rankscope analyze traces/ --format html -o report.html");
  command->callback(
      [&action, arguments] { action = MakeAction([arguments] { return Run(*arguments); }); });
}

}  // namespace rankscope::cli
