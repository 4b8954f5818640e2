#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "cli/arguments/server_arguments.h"
#include "cli/base/command.h"
#include "cli/base/standard_input.h"
#include "mcp/path_source.h"
#include "mcp/server_source.h"
#include "mcp/stdio_server.h"
#include "store/run.h"

namespace rankscope::cli {
namespace {

struct McpArguments {
  JobArguments job;
  ServerArguments server;
  std::string run;
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

Result<std::unique_ptr<mcp::Source>> SourceOfPaths(const McpArguments& arguments) {
  const std::vector<std::string>& paths = arguments.job.paths();
  if (std::ranges::find(paths, kStandardInput) != paths.end())
    return Error(StatusCode::kInvalidArgument,
                 "standard input is for the client's messages: name the traces by their path");
  RS_ASSIGN_OR_RETURN(app::JobSpec spec, arguments.job.Spec());
  mcp::ServedFolders folders(arguments.within, spec.paths);
  return std::make_unique<mcp::PathSource>(std::move(spec), std::move(folders));
}

Result<std::unique_ptr<mcp::Source>> SourceOf(const McpArguments& arguments) {
  if (arguments.server.is_given() == !arguments.job.paths().empty())
    return Error(StatusCode::kInvalidArgument, "mcp needs the PATH of a job, or --server URL");
  if (!arguments.server.is_given()) return SourceOfPaths(arguments);
  if (arguments.job.chooses() || !arguments.within.empty())
    return Error(
        StatusCode::kInvalidArgument,
        "--ranks, --steps, --capture and --within are of a PATH: a run of a server is asked "
        "as a whole");
  if (!arguments.run.empty() && !store::IsRunId(arguments.run))
    return Error(StatusCode::kInvalidArgument, "--run takes the id of a run, not '{}'",
                 arguments.run);
  RS_ASSIGN_OR_RETURN(client::Server server,
                      arguments.server.Connect(std::chrono::seconds(arguments.time_limit)));
  return std::make_unique<mcp::ServerSource>(std::move(server), arguments.run);
}

Status RunMcp(const McpArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const auto source, SourceOf(arguments));
  mcp::StdioServer server(
      *source,
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
  auto arguments = std::make_shared<McpArguments>();
  arguments->job.AddTo(command, JobArguments::Paths::kAny);
  command.options.front().about = "trace files, folders or globs";
  arguments->server.AddTo(command, ServerArguments::Need::kMaybe);
  command.AddOption("--run", arguments->run,
                    "of the server: the id of the run to ask (default: the newest that is ready)");
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
  command.Footer(
      "Example:\n  rankscope mcp traces/      as the command of a client's settings\n  "
      "rankscope mcp --server http://127.0.0.1:8723");
  command.SetRun(MakeAction([arguments] { return RunMcp(*arguments); }));
}

}  // namespace rankscope::cli
