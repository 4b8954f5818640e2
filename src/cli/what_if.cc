#include "insight/what_if/what_if.h"

#include "cli/command.h"
#include "cli/output.h"
#include "cli/table_output.h"
#include "insight/what_if/change.h"
#include "schemas/findings.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  JobArguments job;
  TableOutput output;
  std::vector<std::string> changes;
  bool list = false;
};

Status List() {
  std::string text;
  for (const ChangeForm& form : ChangeForms())
    text += fmt::format("{}\n    {}\n", form.form, form.what);
  return WriteOutput("", text);
}

Status Run(const Arguments& arguments) {
  if (arguments.list) return List();
  if (arguments.job.paths().empty())
    return Error(StatusCode::kInvalidArgument, "whatif needs the PATH of a job");
  if (arguments.changes.empty())
    return Error(StatusCode::kInvalidArgument,
                 "whatif needs a --change; rankscope whatif --list has all");
  std::string changes;
  for (const std::string& change : arguments.changes) {
    RS_RETURN_IF_ERROR(ParseChange(change).status());
    changes += (changes.empty() ? "" : ";") + change;
  }
  const Request request{&WhatIfAnalysis(), {{"changes", changes}}};
  RS_ASSIGN_OR_RETURN(const auto job, arguments.job.Open({request}));
  RS_ASSIGN_OR_RETURN(const Table made, job->Run(request));
  const ViewOf<WhatIf> table = made;
  TellLost(*job);
  const auto& columns = SchemaOf<WhatIf>();
  if (table.row_count() > 0 && !table.IsNull(0, columns.refused_reason))
    return Error(StatusCode::kBadData, "the replay of this job predicts nothing: {}",
                 table.String(0, columns.refused_reason));
  return arguments.output.Write(made);
}

}  // namespace

void AddWhatIf(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("whatif", "replay a job with changes: how long would a step take");
  auto arguments = std::make_shared<Arguments>();
  arguments->job.AddTo(command, JobArguments::Paths::kAny);
  command.AddOption("--change", arguments->changes, "what is otherwise; repeatable (--list)")
      .Type("CHANGE");
  command.AddFlag("--list", arguments->list, "what can be changed");
  arguments->output.AddTo(command);
  command.Footer(
      "Example:\n  rankscope whatif traces/ --change idealise:rank=3 --change "
      "scale:kind=communication,factor=0.5");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
