#include <utility>

#include "app/make_table.h"

#include "cli/arguments/row_arguments.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"

namespace rankscope::cli {
namespace {

struct TableCommandLine {
  std::string name;
  JobArguments job;
  TableOutput output;
  std::vector<std::string> settings;
  RowArguments rows;
};

Status RunTableCommand(const TableCommandLine& arguments) {
  app::TableRequest request{.table = arguments.name};
  RS_ASSIGN_OR_RETURN(request.settings, ParseSettings(arguments.settings));
  RS_ASSIGN_OR_RETURN(const app::JobSpec spec, arguments.job.Spec());
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(Table table, app::MakeTable(request, spec, listener));
  RS_ASSIGN_OR_RETURN(const Table shown, arguments.rows.Of(std::move(table)));
  return arguments.output.Write(shown);
}

}  // namespace

void AddTable(CommandSpec& app) {
  CommandSpec& command = app.AddCommand("table", "run one analysis and print its table");
  auto arguments = std::make_shared<TableCommandLine>();
  command.AddOption("NAME", arguments->name, "an analysis; see rankscope list")
      .Type(kAnalysisType)
      .Required();
  arguments->job.AddTo(command);
  arguments->output.AddTo(command);
  command.AddOption("--set", arguments->settings, "an option of the analysis, as OPTION=VALUE");
  arguments->rows.AddTo(command);
  command.Footer(
      "Example:\n  rankscope table kernels_by_name traces/ --columns name,total_ns --sort "
      "-total_ns --limit 20 --format csv");
  command.SetRun(MakeAction([arguments] { return RunTableCommand(*arguments); }));
}

}  // namespace rankscope::cli
