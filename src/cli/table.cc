#include "app/make_table.h"

#include "cli/command.h"
#include "cli/listener.h"
#include "cli/table_output.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  std::string name;
  JobArguments job;
  TableOutput output;
  std::vector<std::string> settings;
};

Status Run(const Arguments& arguments) {
  app::TableRequest request{.table = arguments.name};
  RS_ASSIGN_OR_RETURN(request.settings, ParseSettings(arguments.settings));
  RS_ASSIGN_OR_RETURN(const app::JobSpec spec, arguments.job.Spec());
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const Table table, app::MakeTable(request, spec, listener));
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
