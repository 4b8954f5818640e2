#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "cli/command.h"
#include "cli/standard_input.h"
#include "mcp/path_source.h"
#include "mcp/stdio_server.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  JobArguments job;
  std::vector<std::string> within;
  int time_limit = 120;
};

// Ctrl-C and SIGTERM as something to read, in this thread and those that it starts from now on.
int StopDescriptor() {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGINT);
  sigaddset(&stops, SIGTERM);
  sigprocmask(SIG_BLOCK, &stops, nullptr);
  return signalfd(-1, &stops, SFD_CLOEXEC);
}

Status Run(const Arguments& arguments) {
  if (std::ranges::find(arguments.job.paths(), kStandardInput) != arguments.job.paths().end())
    return Error(StatusCode::kInvalidArgument,
                 "standard input is for the client's messages: name the traces by their path");
  RS_ASSIGN_OR_RETURN(app::JobSpec spec, arguments.job.Spec());
  mcp::ServedFolders folders(arguments.within, spec.paths);
  mcp::PathSource source(std::move(spec), std::move(folders));
  mcp::StdioServer server(
      source,
      {.program_version = ProgramVersion(),
       .time_limit = std::chrono::seconds(arguments.time_limit)},
      {.input = STDIN_FILENO, .output = STDOUT_FILENO, .stop = StopDescriptor()});
  if (server.Run()) return OkStatus();
  // What cannot be stopped is not waited for.
  RemoveUnfinishedFiles();
  _exit(kDone);
}

}  // namespace

void AddMcp(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("mcp", "answer a coding assistant (Model Context Protocol over stdio)");
  auto arguments = std::make_shared<Arguments>();
  arguments->job.AddTo(command);
  command.options.front().about = "trace files, folders or globs";
  command
      .AddOption("--within", arguments->within,
                 "the assistant may name other jobs to compare with that lie in this folder; "
                 "repeatable (default: the folder around PATH)")
      .Type(kFolderType)
      .OneEach();
  command
      .AddOption("--time-limit", arguments->time_limit,
                 "seconds that a call may take; the next one goes on from what was read")
      .Range(1, 86'400)
      .ShowDefault();
  command.Footer("Example:\n  rankscope mcp traces/      as the command of a client's settings");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
