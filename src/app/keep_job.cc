#include "app/keep_job.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <utility>

#include "app/describe_job.h"
#include "app/report_folder.h"
#include "app/report_of.h"
#include "app/report_requests.h"
#include "app/run_files.h"
#include "report/documents/summary_report.h"
#include "store/run_key.h"
#include "store/store.h"

namespace rankscope::app {
namespace {

namespace fs = std::filesystem;

Result<std::vector<store::RunFile>> StoreTraces(const std::vector<store::LocalFile>& traces,
                                                store::Blobs& blobs) {
  std::vector<store::RunFile> files;
  for (const store::LocalFile& trace : traces) {
    RS_ASSIGN_OR_RETURN(const store::BlobInfo blob, store::StoreFile(blobs, trace.path));
    files.push_back({trace.name, blob.sha256, blob.bytes});
  }
  return files;
}

Result<std::vector<store::RunTable>> StoreReport(OpenedJob& job, const Report& report,
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

}  // namespace

Result<KeptJob> KeepJob(const JobSpec& spec, store::Run run, const std::string& data,
                        const std::string& program, Listener& listener,
                        const std::string& catalogue) {
  const std::vector<TableRequest> requests = DrawnRequests();
  // Before anything is stored: what is no job does not become a run.
  RS_ASSIGN_OR_RETURN(const auto job, OpenJob(spec, requests, listener));
  RS_ASSIGN_OR_RETURN(const auto store,
                      store::Store::Open(data, {.create = true, .catalogue = catalogue}));
  RS_ASSIGN_OR_RETURN(const RunFiles traces, FindRunFiles(spec.paths, RunKind::kJob, listener));
  RS_ASSIGN_OR_RETURN(const std::vector<store::RunFile> files,
                      StoreTraces(traces.files, store->blobs()));
  Report report = DescribeJob(job->job(), spec.called);
  run.world_size = report.world_size;
  if (run.hardware.empty() && !report.devices.empty()) run.hardware = report.devices.front();
  run.key = store::RunKey(run, files);
  RS_ASSIGN_OR_RETURN(const std::vector<store::Run> runs, store->catalogue().All());
  const auto same = std::ranges::find(runs, run.key, &store::Run::key);
  if (same != runs.end()) return KeptJob{.run = same->id, .was_there = true};
  RS_ASSIGN_OR_RETURN(report.tables, job->RunAll(requests));
  store::RunReport made{.version = 1, .made_s = std::time(nullptr), .program = program};
  job->TellLeftOut(listener);
  RS_ASSIGN_OR_RETURN(made.tables, StoreReport(*job, report, *store));
  made.summary = WriteSummary(report);
  run.files = files;
  run.reports.push_back(std::move(made));
  run.state = store::RunState::kReady;
  // All at once, and last: who is killed before leaves no run.
  RS_ASSIGN_OR_RETURN(const store::Run kept, store->catalogue().Create(std::move(run)));
  return KeptJob{.run = kept.id};
}

}  // namespace rankscope::app
