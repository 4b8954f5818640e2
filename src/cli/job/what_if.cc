#include "app/what_if.h"

#include <fmt/core.h>

#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/output.h"

namespace rankscope::cli {
namespace {

struct WhatIfCommandLine {
  JobArguments job;
  TableOutput output;
  std::vector<std::string> changes;
  bool list = false;
};

Status List() {
  std::string text;
  for (const app::ChangeForm& form : app::ChangeForms())
    text += fmt::format("{}\n    {}\n", form.form, form.what);
  return WriteOutput("", text);
}

Status RunWhatIf(const WhatIfCommandLine& arguments) {
  if (arguments.list) return List();
  if (arguments.job.paths().empty())
    return Error(StatusCode::kInvalidArgument, "whatif needs the PATH of a job");
  if (arguments.changes.empty())
    return Error(StatusCode::kInvalidArgument,
                 "whatif needs a --change; rankscope whatif --list has all");
  RS_ASSIGN_OR_RETURN(const app::JobSpec spec, arguments.job.Spec());
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const Table table, app::WhatIfOf(spec, arguments.changes, listener));
  return arguments.output.Write(table);
}

}  // namespace

void AddWhatIf(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("whatif", "replay a job with changes: how long would a step take");
  auto arguments = std::make_shared<WhatIfCommandLine>();
  arguments->job.AddTo(command, JobArguments::Paths::kAny);
  command.AddOption("--change", arguments->changes, "what is otherwise; repeatable (--list)")
      .Type("CHANGE");
  command.AddFlag("--list", arguments->list, "what can be changed");
  arguments->output.AddTo(command);
  command.Footer(
      "Example:\n  rankscope whatif traces/ --change idealise:rank=3 --change "
      "scale:kind=communication,factor=0.5");
  command.SetRun(MakeAction([arguments] { return RunWhatIf(*arguments); }));
}

}  // namespace rankscope::cli
