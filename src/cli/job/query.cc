#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "app/read_serving.h"
#include "app/serving_files.h"
#include "app/sql_session.h"
#include "base/file.h"
#include "base/number_set.h"
#include "base/own_memory.h"
#include "catalog/tables.h"
#include "cli/arguments/row_arguments.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/interrupt.h"
#include "cli/base/listener.h"
#include "cli/base/out_of_memory.h"
#include "cli/base/output.h"
#include "cli/base/standard_input.h"
#include "cli/job/sql_shell.h"

namespace rankscope::cli {
namespace {

struct QueryCommandLine {
  JobArguments job;
  std::optional<std::string> sql;
  std::optional<std::string> file;
  TableOutput output;
  RowArguments rows;
  std::string memory = "4G";
  bool allow_files = false;
  bool select_only = false;
};

// What the argument, --file or standard input say.
Result<std::string> StatementsOf(const QueryCommandLine& arguments) {
  if (arguments.sql && arguments.file)
    return Error(StatusCode::kInvalidArgument, "give the statements as SQL or by --file, not both");
  if (arguments.sql) return *arguments.sql;
  if (arguments.file && *arguments.file != kStandardInput) return ReadFile(*arguments.file);
  return ReadStandardInput();
}

Status RunStatements(const QueryCommandLine& arguments,
                     const std::unique_ptr<app::SqlSession>& session) {
  RS_ASSIGN_OR_RETURN(const std::string statements, StatementsOf(arguments));
  if (arguments.output.CanStream() && !arguments.rows.chooses()) {
    return arguments.output.Stream(
        [&](const TableOutput::Take& take) { return session->Stream(statements, take); });
  }
  RS_ASSIGN_OR_RETURN(Table table, session->Run(statements));
  RS_ASSIGN_OR_RETURN(const Table shown, arguments.rows.Of(std::move(table)));
  return arguments.output.Write(shown);
}

// Over the tables of rankscope serving.
Status RunOverServing(const QueryCommandLine& arguments, const app::JobSpec& spec,
                      app::SqlOptions options) {
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(ServingReport report, app::ReadServing({.paths = spec.paths}, listener));
  const InterruptFlag interrupted;
  options.is_stopped = [&interrupted] { return interrupted.IsSet(); };
  if (arguments.output.IsText()) options.form = app::ResultForm::kText;
  RS_ASSIGN_OR_RETURN(const auto session, app::SqlSession::Open(std::move(report.tables), options));
  Status status = RunStatements(arguments, session);
  if (interrupted.IsSet()) interrupted.EndProcess();
  return status;
}

// DuckDB counts what it spills, and little of what functions and aggregates hold: with 1 GB
// quantile_cont took 3.1 GB, and list_transform 8.8. What the kernel counts is all of it. Beside
// the query there is room for reading traces and for threads, whose stacks count whole.
void BoundProcess(std::uint64_t memory_bytes) {
  constexpr std::uint64_t kForReading = std::uint64_t{256} << 20;
  constexpr std::uint64_t kOfThread = std::uint64_t{32} << 20;
  const std::uint64_t beside = kForReading + kOfThread * std::thread::hardware_concurrency();
  if (memory_bytes < UINT64_MAX - beside) BoundOwnMemory(memory_bytes + beside);
  HintAtMemory("; more may be allowed with --memory 8G");
}

Status RunQueryCommand(const QueryCommandLine& arguments) {
  app::SqlOptions options{.allow_files = arguments.allow_files,
                          .select_only = arguments.select_only};
  RS_ASSIGN_OR_RETURN(options.memory_bytes, ParseByteSize(arguments.memory));
  BoundProcess(options.memory_bytes);
  RS_ASSIGN_OR_RETURN(const app::JobSpec spec, arguments.job.Spec());
  TerminalListener listener;
  if (app::IsServing(spec.paths, listener)) return RunOverServing(arguments, spec, options);
  RS_ASSIGN_OR_RETURN(const auto job, app::OpenJob(spec, {}, listener));
  job->TellLeftOut(listener);
  const InterruptFlag interrupted;
  options.is_stopped = [&interrupted] { return interrupted.IsSet(); };
  if (arguments.output.IsText()) options.form = app::ResultForm::kText;
  const bool is_shell =
      !arguments.sql && !arguments.file && isatty(STDIN_FILENO) != 0 && IsTerminal();
  const auto run = [&]() -> Status {
    RS_ASSIGN_OR_RETURN(const auto session, app::SqlSession::Open(*job, options));
    return RunStatements(arguments, session);
  };
  Status status = is_shell ? RunSqlShell(*job, options, interrupted) : run();
  if (!is_shell && interrupted.IsSet()) interrupted.EndProcess();
  return status;
}

}  // namespace

void AddQuery(CommandSpec& app) {
  CommandSpec& command = app.AddCommand("query", "SQL over the events and tables of all ranks");
  auto arguments = std::make_shared<QueryCommandLine>();
  arguments->job.AddTo(command, JobArguments::Paths::kOne);
  command.AddOption(
      "SQL", arguments->sql,
      fmt::format(
          "statements in DuckDB's SQL over {} and every analysis; the last one's rows are printed. "
          "Without: standard input, or a shell on a terminal",
          fmt::join(catalog::TableNames(Subject::kEvents), ", ")));
  command
      .AddOption("-f,--file", arguments->file,
                 "read the statements from this file; - is standard input")
      .Type(kFileType);
  command
      .AddOption(
          "--memory", arguments->memory,
          "what the query and its result may hold in memory, together; the query spills more to "
          "disk")
      .ShowDefault();
  command.AddFlag("--allow-files", arguments->allow_files,
                  "let the query read and write files; without, it sees the job alone");
  command.AddFlag("--select-only", arguments->select_only,
                  "take one SELECT or EXPLAIN and nothing else: for what others wrote");
  arguments->output.AddTo(command);
  arguments->rows.AddTo(command);
  command.Footer(
      "Example:\n  rankscope query traces/ 'SELECT name, sum(dur_ns) FROM kernels GROUP BY name "
      "ORDER BY 2 DESC LIMIT 5'");
  command.SetRun(MakeAction([arguments] { return RunQueryCommand(*arguments); }));
}

}  // namespace rankscope::cli
