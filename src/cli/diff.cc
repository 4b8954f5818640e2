#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "catalog/list.h"
#include "cli/command.h"
#include "cli/describe_job.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/table_output.h"
#include "compare/compare.h"
#include "compare/hta_diff.h"
#include "report/diff_report.h"
#include "schemas/captures.h"
#include "schemas/critical_path.h"
#include "schemas/findings.h"
#include "schemas/hta_diff.h"
#include "schemas/layout.h"
#include "schemas/steps.h"
#include "schemas/work.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  JobArguments base;
  JobArguments test;
  JobArguments shared;
  std::string format = "text";
  std::string output;
  std::string fail_on;
  std::string table;
  std::vector<std::string> settings;
  bool full = false;
};

constexpr std::string_view kReportFormats[] = {"text", "json", "html"};
constexpr std::string_view kTableFormats[] = {"text", "json", "csv", "jsonl", "parquet"};

template <std::size_t N>
bool Has(const std::string_view (&formats)[N], std::string_view format) {
  return std::find(std::begin(formats), std::end(formats), format) != std::end(formats);
}

Status CheckFormat(const Arguments& arguments) {
  if (arguments.table.empty() && !Has(kReportFormats, arguments.format))
    return Error(StatusCode::kInvalidArgument, "--format {} needs --table NAME: it is of one table",
                 arguments.format);
  if (!arguments.table.empty() && !Has(kTableFormats, arguments.format))
    return Error(StatusCode::kInvalidArgument, "--format {} is of the whole report, not of --table",
                 arguments.format);
  if (!arguments.settings.empty() && !arguments.table.starts_with("hta."))
    return Error(StatusCode::kInvalidArgument,
                 "--set is for --table hta.trace_diff and hta.ops_diff, which have options");
  return OkStatus();
}

bool IsHtaTable(std::string_view name) {
  return name == HtaTraceDiff::kName || name == HtaOpsDiff::kName;
}

// "3%" or "3" -> 3.
Result<double> ParsePercent(const std::string& text) {
  std::size_t end = 0;
  double percent = -1;
  try {
    percent = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end < text.size() && text[end] == '%') ++end;
  if (end == 0 || end != text.size() || !(percent >= 0 && percent <= 1e9)) {
    return Error(StatusCode::kInvalidArgument,
                 "--fail-on takes by how much a step may be slower, such as 3%, not '{}'", text);
  }
  return percent;
}

// The tables of one job that a comparison takes, in the order of Requests.
constexpr std::string_view kNames[] = {
    Captures::kName, JobSteps::kName, StepTimes::kName,     TimeBreakdown::kName, StepWork::kName,
    Layout::kName,   Findings::kName, PathOverRanks::kName, ReplayFidelity::kName};

Result<std::vector<Request>> Requests() {
  std::vector<Request> requests;
  for (const std::string_view name : kNames) {
    RS_ASSIGN_OR_RETURN(const Analysis* analysis, FindAnalysis(name));
    requests.push_back({analysis, {}});
  }
  return requests;
}

struct Side {
  std::unique_ptr<Job> job;
  Report report;  // with the tables
  std::optional<Table> work_of_ranks;

  JobTables Tables() const {
    return {.captures = report.Find(Captures::kName),
            .job_steps = report.Find(JobSteps::kName),
            .step_times = report.Find(StepTimes::kName),
            .time_breakdown = report.Find(TimeBreakdown::kName),
            .step_work = report.Find(StepWork::kName),
            .step_work_of_ranks = work_of_ranks ? &*work_of_ranks : nullptr,
            .layout = report.Find(Layout::kName),
            .findings = report.Find(Findings::kName),
            .path_over_ranks = report.Find(PathOverRanks::kName),
            .replay_fidelity = report.Find(ReplayFidelity::kName)};
  }
  Status AddWorkOfRanks() {
    RS_ASSIGN_OR_RETURN(const Analysis* analysis, FindAnalysis(StepWork::kName));
    RS_ASSIGN_OR_RETURN(work_of_ranks, job->Run({analysis, {{"ranks", "1"}}}));
    return OkStatus();
  }
};

Result<Side> Open(const JobArguments& arguments, const std::vector<Request>& requests) {
  Side side;
  RS_ASSIGN_OR_RETURN(side.job, arguments.Open(requests));
  side.report = DescribeJob(*side.job);
  side.report.traces = TracesWords(arguments.paths());
  RS_ASSIGN_OR_RETURN(side.report.tables, side.job->RunAll(requests));
  TellLost(*side.job);
  return side;
}

// HTA's two tables, by its parameters.
Result<std::vector<Table>> HtaTables(Job& base, Job& test, Options options) {
  RS_ASSIGN_OR_RETURN(const Analysis* analysis, FindAnalysis(HtaOpsSummary::kName));
  Request request{analysis, {}};
  if (auto is_short = options.extract("use_short_name"))
    request.options.insert(std::move(is_short));
  RS_RETURN_IF_ERROR(CompleteOptions(*analysis, request.options).status());
  RS_ASSIGN_OR_RETURN(const HtaDiffOptions of_diff, ParseHtaDiffOptions(options));
  RS_ASSIGN_OR_RETURN(const Table control, base.Run(request));
  RS_ASSIGN_OR_RETURN(const Table other, test.Run(request));
  RS_ASSIGN_OR_RETURN(Table trace_diff, HtaTraceDiffOf(control, other, of_diff));
  Table ops_diff = HtaOpsDiffOf(trace_diff);
  std::vector<Table> tables;
  tables.push_back(std::move(trace_diff));
  tables.push_back(std::move(ops_diff));
  return tables;
}

Result<DiffReport> CompareSides(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const Options settings, ParseSettings(arguments.settings));
  DiffReport report;
  if (IsHtaTable(arguments.table)) {
    RS_ASSIGN_OR_RETURN(const auto base, arguments.base.Open());
    RS_ASSIGN_OR_RETURN(const auto test, arguments.test.Open());
    RS_ASSIGN_OR_RETURN(report.tables, HtaTables(*base, *test, settings));
    return report;
  }
  RS_ASSIGN_OR_RETURN(const std::vector<Request> requests, Requests());
  RS_ASSIGN_OR_RETURN(Side base, Open(arguments.base, requests));
  RS_ASSIGN_OR_RETURN(Side test, Open(arguments.test, requests));
  if (NeedsRanks(base.Tables(), test.Tables())) {
    RS_RETURN_IF_ERROR(base.AddWorkOfRanks());
    RS_RETURN_IF_ERROR(test.AddWorkOfRanks());
  }
  RS_ASSIGN_OR_RETURN(report.tables, Compare(base.Tables(), test.Tables()));
  if (arguments.format == "json" && arguments.table.empty()) {
    RS_ASSIGN_OR_RETURN(std::vector<Table> of_hta, HtaTables(*base.job, *test.job, settings));
    std::move(of_hta.begin(), of_hta.end(), std::back_inserter(report.tables));
  }
  report.base = std::move(base.report);
  report.test = std::move(test.report);
  return report;
}

// The one table that was asked for.
Status WriteTable(const DiffReport& report, const Arguments& arguments) {
  if (const Table* table = report.Find(arguments.table))
    return TableOutput(arguments.format, arguments.output).Write(*table);
  std::vector<std::string> names;
  for (const Table& table : report.tables) names.push_back(table.name());
  return Error(StatusCode::kInvalidArgument, "there is no table '{}' of a comparison; there are {}",
               arguments.table, fmt::join(names, ", "));
}

std::string Write(const DiffReport& report, const Arguments& arguments) {
  if (arguments.format == "json") return WriteDiffJson(report);
  if (arguments.format == "html") return WriteDiffHtml(report);
  return WriteDiffText(
      report, {.colour = arguments.output.empty() && TakesColour(), .full = arguments.full});
}

Result<ExitCode> Run(Arguments& arguments) {
  RS_RETURN_IF_ERROR(CheckFormat(arguments));
  std::optional<double> limit;
  if (!arguments.fail_on.empty()) {
    RS_ASSIGN_OR_RETURN(limit, ParsePercent(arguments.fail_on));
  }
  arguments.base.TakeShared(arguments.shared);
  arguments.test.TakeShared(arguments.shared);
  RS_ASSIGN_OR_RETURN(const DiffReport report, CompareSides(arguments));
  RS_RETURN_IF_ERROR(arguments.table.empty()
                         ? WriteOutput(arguments.output, Write(report, arguments))
                         : WriteTable(report, arguments));
  if (!limit) return kDone;
  if (IsHtaTable(arguments.table))
    return Error(StatusCode::kInvalidArgument, "--fail-on is not for HTA's tables");
  RS_ASSIGN_OR_RETURN(const std::optional<std::string> hit, DiffGateHit(*limit, report));
  if (!hit) return kDone;
  Tell(*hit);
  return kGateHit;
}

}  // namespace

void AddDiff(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "diff", "say what changed between two jobs, captures or ranks, and whether it is noise");
  auto arguments = std::make_shared<Arguments>();
  arguments->base.AddSide(*command, "base");
  arguments->test.AddSide(*command, "test");
  arguments->shared.AddShared(*command);
  command
      ->add_option("--format", arguments->format,
                   "text, json or html; of --table text, json, csv, jsonl or parquet")
      ->check(CLI::IsMember({"text", "json", "html", "csv", "jsonl", "parquet"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "write to this file")->type_name(kFileType);
  command->add_flag("--full", arguments->full, "text: all rows, not what changed by 1% alone");
  command->add_option("--table", arguments->table,
                      "one table in place of the report: diff_parts, diff_ops, diff_places, ... "
                      "(docs/diff.md), hta.trace_diff or hta.ops_diff");
  command->add_option("--set", arguments->settings,
                      "an option of hta.trace_diff and hta.ops_diff, as OPTION=VALUE");
  command
      ->add_option("--fail-on", arguments->fail_on,
                   "such as 3%: exit with 3 when a step of TEST is slower by that or more, and "
                   "not by chance")
      ->type_name("PERCENT");
  command->footer(
      "Example:\n  rankscope diff before/ after/ --fail-on 3%\n  rankscope diff traces/ traces/ "
      "--base-ranks 0 --test-ranks 3");
  command->callback([&action, arguments] {
    action = [arguments] {
      const Result<ExitCode> code = Run(*arguments);
      return code.ok() ? static_cast<int>(*code) : Fail(code.status());
    };
  });
}

}  // namespace rankscope::cli
