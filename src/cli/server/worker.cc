// `rankscope worker`: analyses what servers with the same catalogue have queued.
#include "service/worker.h"

#include <fmt/core.h>

#include "base/number_set.h"
#include "cli/arguments/blob_arguments.h"
#include "cli/arguments/durations.h"
#include "cli/arguments/listen_address.h"
#include "cli/base/command.h"
#include "cli/base/end_signals.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/base/own_program.h"
#include "cli/server/store.h"
#include "service/queue/queue.h"

namespace rankscope::cli {
namespace {

struct WorkerArguments {
  service::WorkerOptions options;
  BlobArguments blobs;
  std::string memory;
  std::string lease;
  std::string shard_size = "2G";
  std::string metrics;
  bool is_quiet = false;
};

Status Work(WorkerArguments& arguments) {
  service::WorkerOptions& options = arguments.options;
  if (options.catalogue.empty()) {
    return Error(
        StatusCode::kInvalidArgument,
        "a worker takes work from a database: --catalogue postgresql://USER@HOST/DATABASE");
  }
  if (!arguments.memory.empty()) {
    RS_ASSIGN_OR_RETURN(options.worker_memory_bytes, ParseByteSize(arguments.memory));
    RS_RETURN_IF_ERROR(
        service::CheckAnalysisMemory(options.worker_memory_bytes, "--memory", arguments.memory));
  }
  if (!arguments.metrics.empty())
    RS_RETURN_IF_ERROR(ParseListen(arguments.metrics, "--metrics", options.metrics.emplace()));
  RS_ASSIGN_OR_RETURN(options.shard_bytes, ParseByteSize(arguments.shard_size));
  RS_ASSIGN_OR_RETURN(options.blobs, arguments.blobs.Read());
  RS_RETURN_IF_ERROR(ParseLease(arguments.lease, options.lease));
  RS_ASSIGN_OR_RETURN(options.program, OwnProgram());
  options.version = ProgramVersion();
  if (!arguments.is_quiet)
    options.log = [](std::string_view line) { WriteToStderr(std::string(line) + "\n"); };
  const int workers = options.workers;
  HoldEndSignals();
  RS_ASSIGN_OR_RETURN(const auto worker, service::Worker::Start(std::move(options)));
  const std::string at = worker->metrics_address();
  RS_RETURN_IF_ERROR(
      WriteOutput("", fmt::format("worker {} takes work from {}, {} at a time{}\n", worker->name(),
                                  worker->catalogue(), workers, at.empty() ? "" : "; " + at)));
  WaitForEndSignal();
  return OkStatus();
}

}  // namespace

Status ParseLease(const std::string& text, std::chrono::milliseconds& lease) {
  constexpr std::int64_t kLeast = 2, kMost = 3600;
  if (text.empty()) return OkStatus();
  RS_ASSIGN_OR_RETURN(const std::int64_t seconds, ParseAge(text));
  if (seconds < kLeast || seconds > kMost)
    return Error(StatusCode::kInvalidArgument, "--lease takes 2s to 60m, not '{}'", text);
  lease = std::chrono::seconds(seconds);
  return OkStatus();
}

void AddWorker(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "worker", "analyse what servers with the same catalogue have queued, on any machine");
  auto arguments = std::make_shared<WorkerArguments>();
  service::WorkerOptions& options = arguments->options;
  AddCatalogue(command, options.catalogue);
  AddDataFolder(command, options.data_folder);
  arguments->blobs.AddTo(command, "--blobs", kBlobsHelp);
  command.AddOption("--workers", options.workers, "analyses at a time").Range(1, 64).ShowDefault();
  command.AddOption("--memory", arguments->memory,
                    "of each, such as 16G, at least 1G; twice that for one that failed for want of "
                    "it (default: any)");
  command
      .AddOption("--shard-size", arguments->shard_size,
                 "text of traces that is read at once, about; runs of more are divided, so that "
                 "several workers read them")
      .ShowDefault();
  command.AddOption("--lease", arguments->lease,
                    "after so long without a sign of life others take its work (default: 30s)");
  command.AddOption("--metrics", arguments->metrics,
                    "ADDRESS:PORT of numbers for Prometheus, at /metrics; port 0 takes a free one "
                    "(default: none)");
  command.AddFlag("--quiet", arguments->is_quiet, "no log");
  command.Footer(
      "Example:\n  rankscope worker --catalogue postgresql://rankscope@db/rankscope --data "
      "/mnt/rankscope");
  command.SetRun(MakeAction([arguments] { return Work(*arguments); }));
}

}  // namespace rankscope::cli
