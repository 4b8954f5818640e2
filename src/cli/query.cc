#include "sql/query.h"
#include "analysis/list.h"

#include "cli/command.h"
#include "cli/number_set.h"
#include "sql/parquet.h"
#include "table/write_csv.h"
#include "table/write_json.h"
#include "table/write_text.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  JobArguments job;
  std::string sql;
  std::string format = "text";
  std::string output;
  std::string memory = "4G";
  bool allow_files = false;
};

Status Run(const Arguments& arguments) {
  sql::QueryOptions options;
  options.analyses = AllAnalyses();
  options.allow_files = arguments.allow_files;
  RS_ASSIGN_OR_RETURN(options.memory_bytes, ParseByteSize(arguments.memory));
  RS_ASSIGN_OR_RETURN(const auto job, arguments.job.Open());
  RS_ASSIGN_OR_RETURN(const Table table, sql::RunQuery(*job, arguments.sql, options));
  TellLost(*job);
  return WriteTable(table, arguments.format, arguments.output);
}

}  // namespace

void AddQuery(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("query", "SQL over the events and tables of all ranks");
  auto arguments = std::make_shared<Arguments>();
  arguments->job.AddTo(*command, JobArguments::Paths::kOne);
  command
      ->add_option(
          "SQL", arguments->sql,
          "a statement in DuckDB's SQL over events, kernels, ops, steps and every analysis")
      ->required();
  command
      ->add_option("--memory", arguments->memory,
                   "what the query may hold in memory; more is spilled to disk")
      ->capture_default_str();
  command->add_flag("--allow-files", arguments->allow_files,
                    "let the query read and write files; without, it sees the job alone");
  AddTableOutput(*command, arguments->format, arguments->output);
  command->footer(
      "Example:\n  rankscope query traces/ 'SELECT name, sum(dur_ns) FROM kernels GROUP BY name "
      "ORDER BY 2 DESC LIMIT 5'");
  command->callback(
      [&action, arguments] { action = MakeAction([arguments] { return Run(*arguments); }); });
}

}  // namespace rankscope::cli
