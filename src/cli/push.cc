// `rankscope push`: a job's traces to a server, going on where an earlier attempt ended.
#include <fmt/core.h>

#include <mutex>

#include "app/run_files.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/listener.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run_arguments.h"
#include "cli/server_arguments.h"
#include "client/push_run.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  std::vector<std::string> paths;
  ServerArguments server;
  RunArguments run;
  int patience_s = 300;
  bool waits = false;
};

Status Run(const Arguments& arguments) {
  const InterruptFlag interrupted;
  client::RealWait wait([&] { return interrupted.IsSet(); });
  std::once_flag told;
  const auto connect = [&]() -> Result<client::Server> {
    RS_ASSIGN_OR_RETURN(client::Server server, arguments.server.Connect());
    const auto tell = [&](const Status& why) {
      std::call_once(told, [&] {
        Tell(fmt::format("{}; trying again for {} s", why.message(), arguments.patience_s));
      });
    };
    server.BePatient(wait,
                     {.time = std::chrono::seconds(arguments.patience_s), .on_first_wait = tell});
    return server;
  };
  RS_ASSIGN_OR_RETURN(client::Server server, connect());
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const std::vector<store::LocalFile> files,
                      app::FindRunFiles(arguments.paths, listener));
  RS_ASSIGN_OR_RETURN(const store::Run run, arguments.run.Read(arguments.paths));
  client::Pushed pushed;
  {
    ProgressLine line;
    RS_ASSIGN_OR_RETURN(
        pushed, client::PushRun(connect, run, files, [&](std::uint64_t sent, std::uint64_t total) {
          line.Update("sending", sent, total);
          return !interrupted.IsSet();
        }));
  }
  if (pushed.was_there)
    Tell(fmt::format("the server has these files already, as run {}", pushed.run));
  if (arguments.waits) RS_RETURN_IF_ERROR(client::WaitForReport(server, pushed.run, wait).status());
  return WriteOutput("", server.PageOf(pushed.run) + "\n");
}

}  // namespace

void AddPush(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("push", "send a job's traces to a server, and have it analysed");
  auto arguments = std::make_shared<Arguments>();
  command.AddOption("PATH", arguments->paths, "files, folders or globs of one job").Required();
  arguments->server.AddTo(command);
  arguments->run.AddTo(command);
  command
      .AddOption("--patience", arguments->patience_s,
                 "seconds to try again while the server is away or busy")
      .Range(0, 86400)
      .ShowDefault();
  command.AddFlag("--wait", arguments->waits, "until the report is there");
  command.Footer(
      "Example:\n  rankscope push traces/ --server http://127.0.0.1:8723 --name llama-70b");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
