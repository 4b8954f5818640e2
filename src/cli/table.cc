#include <utility>

#include "app/make_table.h"

#include "cli/command.h"
#include "cli/listener.h"
#include "cli/table_output.h"
#include "table/select_rows.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  std::string name;
  JobArguments job;
  TableOutput output;
  std::vector<std::string> settings;
  std::vector<std::string> columns;
  std::vector<std::string> sort;
  std::int64_t limit = -1;  // below 0: none
};

Status Run(const Arguments& arguments) {
  app::TableRequest request{.table = arguments.name};
  RS_ASSIGN_OR_RETURN(request.settings, ParseSettings(arguments.settings));
  RS_ASSIGN_OR_RETURN(const app::JobSpec spec, arguments.job.Spec());
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(Table table, app::MakeTable(request, spec, listener));
  RowSelection selection{.columns = arguments.columns, .sort = arguments.sort, .limit = {}};
  if (arguments.limit >= 0) selection.limit = static_cast<std::size_t>(arguments.limit);
  RS_ASSIGN_OR_RETURN(const Table shown, SelectRows(std::move(table), selection));
  return arguments.output.Write(shown);
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
  command.AddOption("--columns", arguments->columns, "these columns alone, in this order: A,B")
      .Type("COLUMN")
      .Separator(',')
      .OneEach();
  command
      .AddOption("--sort", arguments->sort,
                 "by these columns, the first one first: A,-B; -B has the largest first")
      .Type("COLUMN")
      .Separator(',')
      .OneEach();
  command.AddOption("--limit", arguments->limit, "at most so many rows").Range(0, 1'000'000'000);
  command.Footer(
      "Example:\n  rankscope table kernels_by_name traces/ --columns name,total_ns --sort "
      "-total_ns --limit 20 --format csv");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
