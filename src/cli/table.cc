#include "analysis/captures/captures.h"
#include "analysis/captures/data_quality.h"
#include "catalog/list.h"
#include "cli/command.h"
#include "cli/compare_jobs.h"
#include "cli/open_memory.h"
#include "cli/table_output.h"
#include "compare/tables.h"
#include "hang/tables.h"
#include "memory/tables.h"
#include "replay/operations.h"
#include "schemas/straggler.h"
#include "sql/read_file.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  std::string name;
  JobArguments job;
  TableOutput output;
  std::vector<std::string> settings;
};

// A plain table of operations stands for a job in this one table.
bool IsOfOperations(const Arguments& arguments) {
  return arguments.name == StragglerSlowdown::kName && arguments.job.paths().size() == 1 &&
         sql::IsTableFile(arguments.job.paths().front());
}

Status ShowStragglers(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const Table operations,
                      sql::ReadFile(arguments.job.paths().front(), std::string(Operations::kName),
                                    SchemaOf<Operations>().columns()));
  RS_ASSIGN_OR_RETURN(const Table table, ReplayStragglers(operations));
  return arguments.output.Write(table);
}

// A table of two jobs, which `diff` has, too.
Status ShowComparison(const Arguments& arguments) {
  const std::vector<std::string>& paths = arguments.job.paths();
  if (paths.size() != 2)
    return Error(StatusCode::kInvalidArgument,
                 "{} compares two jobs: rankscope table {} BASE TEST, or rankscope diff BASE TEST",
                 arguments.name, arguments.name);
  const JobArguments base = arguments.job.OfPath(paths[0]);
  const JobArguments test = arguments.job.OfPath(paths[1]);
  RS_ASSIGN_OR_RETURN(const Options settings, ParseSettings(arguments.settings));
  if (!settings.empty() && !IsHtaTable(arguments.name))
    return Error(StatusCode::kInvalidArgument, "{} has no options", arguments.name);
  RS_ASSIGN_OR_RETURN(const DiffReport report, IsHtaTable(arguments.name)
                                                   ? CompareAsHta(base, test, settings)
                                                   : CompareJobs(base, test, HtaTables::kNot));
  return arguments.output.Write(*report.Find(arguments.name));
}

// A table of a memory snapshot, which `memory` has, too.
Status ShowMemory(const Arguments& arguments) {
  const std::vector<std::string>& paths = arguments.job.paths();
  if (paths.empty() || paths.size() > 2 || !arguments.settings.empty())
    return Error(StatusCode::kInvalidArgument,
                 "{} is of one memory snapshot, or of two, and has no options: rankscope memory "
                 "SNAPSHOT --table {}",
                 arguments.name, arguments.name);
  MemoryArguments memory;
  memory.paths = paths;
  RS_ASSIGN_OR_RETURN(const Table table, ReadMemoryTable(memory, arguments.name));
  return arguments.output.Write(table);
}

Status Run(const Arguments& arguments) {
  if (FindDiffTable(arguments.name) != nullptr) return ShowComparison(arguments);
  if (memory::FindMemoryTable(arguments.name) != nullptr) return ShowMemory(arguments);
  if (FindHangTable(arguments.name) != nullptr)
    return Error(StatusCode::kInvalidArgument,
                 "{} is made of Flight Recorder dumps: rankscope hang DUMPS --table {}",
                 arguments.name, arguments.name);
  if (IsOfOperations(arguments)) return ShowStragglers(arguments);
  RS_ASSIGN_OR_RETURN(const Analysis* analysis, FindAnalysis(arguments.name));
  RS_ASSIGN_OR_RETURN(const Options options, ParseSettings(arguments.settings));
  RS_RETURN_IF_ERROR(CompleteOptions(*analysis, options).status());
  const Request request{analysis, options};
  // What tells about files tells about all of them.
  const bool is_of_files = analysis == &CapturesAnalysis() || analysis == &DataQualityAnalysis();
  RS_ASSIGN_OR_RETURN(const auto job, is_of_files ? arguments.job.OpenAnyRuns({request})
                                                  : arguments.job.Open({request}));
  RS_ASSIGN_OR_RETURN(const Table table, job->Run(request));
  TellLost(*job);
  return arguments.output.Write(table);
}

}  // namespace

void AddTable(CommandSpec& app) {
  CommandSpec& command = app.AddCommand("table", "run one analysis and print its table");
  auto arguments = std::make_shared<Arguments>();
  command.AddOption("NAME", arguments->name, "an analysis; see rankscope list")
      .Type(kAnalysisType)
      .Required();
  arguments->job.AddTo(command);
  arguments->output.AddTo(command);
  command.AddOption("--set", arguments->settings, "an option of the analysis, as OPTION=VALUE");
  command.Footer("Example:\n  rankscope table kernels_by_name traces/ --set top=20 --format csv");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
