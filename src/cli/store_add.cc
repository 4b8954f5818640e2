// `rankscope store add`: a job's traces, its report and its tables into a store.
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "cli/describe_job.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/report_folder.h"
#include "cli/run_arguments.h"
#include "cli/store.h"
#include "report/summary_report.h"
#include "store/run_key.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  JobArguments job;
  std::string data;
  RunArguments run;
};

Result<std::vector<store::RunFile>> StoreTraces(const std::vector<client::LocalFile>& traces,
                                                store::Blobs& blobs) {
  std::vector<store::RunFile> files;
  for (const client::LocalFile& trace : traces) {
    RS_ASSIGN_OR_RETURN(const store::BlobInfo blob, store::StoreFile(blobs, trace.path));
    files.push_back({trace.name, blob.sha256, blob.bytes});
  }
  return files;
}

Result<std::vector<store::RunTable>> StoreReport(Job& job, const Report& report,
                                                 store::Store& store) {
  std::vector<store::RunTable> tables;
  const auto keep = [&](const std::string& name, const Result<store::BlobInfo>& blob) -> Status {
    if (!blob.ok()) return blob.status();
    tables.push_back({name, blob->sha256, blob->bytes});
    return OkStatus();
  };
  const std::string path = store.temporary_folder() + "/pending-" + std::to_string(getpid());
  const ReportParts parts = {
      .text =
          [&](const std::string& name, std::string_view text) {
            return keep(name, store::StoreText(store.blobs(), text));
          },
      .file = [&](const std::string& name, const ReportParts::WriteFile& write) -> Status {
        RS_RETURN_IF_ERROR(write(path));
        const Status kept = keep(name, store::StoreFile(store.blobs(), path));
        std::error_code error;
        fs::remove(path, error);
        return kept;
      }};
  RS_RETURN_IF_ERROR(ForEachPart(job, report, parts));
  return tables;
}

Status Run(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(store::Run run, arguments.run.Read(arguments.job.paths()));
  RS_ASSIGN_OR_RETURN(const std::vector<Request> requests, DrawnRequests());
  // Before anything is stored: what is no job does not become a run.
  RS_ASSIGN_OR_RETURN(const auto job, arguments.job.Open(requests));
  RS_ASSIGN_OR_RETURN(const auto store, store::Store::Open(arguments.data, {.create = true}));
  RS_ASSIGN_OR_RETURN(const std::vector<client::LocalFile> traces,
                      FindRunFiles(arguments.job.paths()));
  RS_ASSIGN_OR_RETURN(const std::vector<store::RunFile> files, StoreTraces(traces, store->blobs()));
  Report report = DescribeJob(*job);
  report.traces = arguments.job.Words();
  run.world_size = report.world_size;
  if (run.hardware.empty() && !report.devices.empty()) run.hardware = report.devices.front();
  run.key = store::RunKey(run, files);
  const std::vector<store::Run> runs = store->catalogue().All();
  const auto same = std::ranges::find(runs, run.key, &store::Run::key);
  if (same != runs.end()) {
    Tell(fmt::format("run {} has these files already", same->id));
    return WriteOutput("", same->id + "\n");
  }
  RS_ASSIGN_OR_RETURN(report.tables, job->RunAll(requests));
  store::RunReport made{.version = 1, .made_s = std::time(nullptr), .program = ProgramVersion()};
  TellLost(*job);
  RS_ASSIGN_OR_RETURN(made.tables, StoreReport(*job, report, *store));
  made.summary = WriteSummary(report);
  run.files = files;
  run.reports.push_back(std::move(made));
  run.state = store::RunState::kReady;
  // All at once, and last: who is killed before leaves no run.
  RS_ASSIGN_OR_RETURN(const store::Run kept, store->catalogue().Create(std::move(run)));
  return WriteOutput("", kept.id + "\n");
}

}  // namespace

void AddStoreAdd(CommandSpec& app) {
  CommandSpec& command = app.AddCommand("add", "keep a job: its traces, its report and its tables");
  auto arguments = std::make_shared<Arguments>();
  arguments->job.AddTo(command);
  AddDataFolder(command, arguments->data);
  arguments->run.AddTo(command);
  command.Footer("Example:\n  rankscope store add traces/ --data /var/lib/rankscope --name llama");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
