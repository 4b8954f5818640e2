// `rankscope store add`: a job's traces, its report and its tables into a store.
#include <fmt/core.h>

#include "app/keep_job.h"
#include "cli/arguments/run_arguments.h"
#include "cli/base/listener.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/server/store.h"

namespace rankscope::cli {
namespace {

struct StoreAddArguments {
  JobArguments job;
  std::string data;
  std::string catalogue;
  RunArguments run;
};

Status RunStoreAdd(const StoreAddArguments& arguments) {
  RS_ASSIGN_OR_RETURN(store::Run run,
                      arguments.run.Read(arguments.job.paths(), app::RunKind::kJob));
  RS_ASSIGN_OR_RETURN(const app::JobSpec spec, arguments.job.Spec());
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const app::KeptJob kept,
                      app::KeepJob(spec, std::move(run), arguments.data, ProgramVersion(), listener,
                                   arguments.catalogue));
  if (kept.was_there) Tell(fmt::format("run {} has these files already", kept.run));
  return WriteOutput("", kept.run + "\n");
}

}  // namespace

void AddStoreAdd(CommandSpec& app) {
  CommandSpec& command = app.AddCommand("add", "keep a job: its traces, its report and its tables");
  auto arguments = std::make_shared<StoreAddArguments>();
  arguments->job.AddTo(command);
  AddDataFolder(command, arguments->data);
  AddCatalogue(command, arguments->catalogue);
  arguments->run.AddTo(command);
  command.Footer("Example:\n  rankscope store add traces/ --data /var/lib/rankscope --name llama");
  command.SetRun(MakeAction([arguments] { return RunStoreAdd(*arguments); }));
}

}  // namespace rankscope::cli
