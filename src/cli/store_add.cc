// `rankscope store add`: a job's traces, its report and its tables into a store.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cli/describe_job.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/report_folder.h"
#include "cli/store.h"
#include "engine/discover.h"
#include "report/summary_report.h"
#include "sql/parquet.h"
#include "store/sha256.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  JobArguments job;
  std::string data;
  store::Run run;  // what the options say of it
  std::vector<std::string> tags;
};

// NAME=VALUE, or NAME alone.
Result<std::map<std::string, std::string>> ParseTags(const std::vector<std::string>& tags) {
  std::map<std::string, std::string> parsed;
  for (const std::string& tag : tags) {
    const std::size_t equals = tag.find('=');
    const std::string name = tag.substr(0, equals);
    if (name.empty())
      return Error(StatusCode::kInvalidArgument, "--tag {}: a tag is NAME=VALUE or NAME", tag);
    parsed[name] = equals == std::string::npos ? std::string() : tag.substr(equals + 1);
  }
  return parsed;
}

// The folder above all of these files.
fs::path CommonFolder(const std::vector<std::string>& paths) {
  fs::path common = fs::absolute(paths.front()).lexically_normal().parent_path();
  for (const std::string& path : paths) {
    const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    fs::path shared;
    for (auto part = common.begin(); part != end; ++part) shared /= *part;
    common = shared;
  }
  return common;
}

// Stores what FindTraceFiles finds; names are relative to the folder above all.
Result<std::vector<store::RunFile>> StoreTraces(const std::vector<std::string>& paths,
                                                store::Blobs& blobs) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(paths));
  for (const auto& unlisted : found.unlisted) Tell(unlisted.second.message());
  const fs::path folder = CommonFolder(found.paths);
  std::vector<store::RunFile> files;
  for (const std::string& path : found.paths) {
    const std::string name =
        fs::absolute(path).lexically_normal().lexically_relative(folder).string();
    RS_RETURN_IF_ERROR(store::CheckFileName(name));
    RS_ASSIGN_OR_RETURN(const store::BlobInfo blob, store::StoreFile(blobs, path));
    files.push_back({name, blob.sha256, blob.bytes});
  }
  std::ranges::sort(files, {}, &store::RunFile::name);
  return files;
}

// The same files under the same name are the same run.
std::string KeyOf(const store::Run& run, const std::vector<store::RunFile>& files) {
  std::string text = run.name;
  for (const store::RunFile& file : files) text += '\n' + file.sha256 + ' ' + file.name;
  return store::Sha256Of(text);
}

Result<std::vector<store::RunTable>> StoreReport(const Report& report, store::Store& store) {
  std::vector<store::RunTable> tables;
  const auto keep = [&](const std::string& name, const Result<store::BlobInfo>& blob) -> Status {
    if (!blob.ok()) return blob.status();
    tables.push_back({name, blob->sha256, blob->bytes});
    return OkStatus();
  };
  const std::string path = store.temporary_folder() + "/pending-" + std::to_string(getpid());
  const ReportParts parts = {.text =
                                 [&](const std::string& name, std::string_view text) {
                                   return keep(name, store::StoreText(store.blobs(), text));
                                 },
                             .table = [&](const std::string& name, const Table& table) -> Status {
                               RS_RETURN_IF_ERROR(sql::WriteParquet(table, path));
                               const Status kept =
                                   keep(name, store::StoreFile(store.blobs(), path));
                               std::error_code error;
                               fs::remove(path, error);
                               return kept;
                             }};
  RS_RETURN_IF_ERROR(ForEachPart(report, parts));
  return tables;
}

Status Run(const Arguments& arguments) {
  store::Run run = arguments.run;
  RS_ASSIGN_OR_RETURN(run.tags, ParseTags(arguments.tags));
  RS_ASSIGN_OR_RETURN(const std::vector<Request> requests, DrawnRequests());
  // Before anything is stored: what is no job does not become a run.
  RS_ASSIGN_OR_RETURN(const auto job, arguments.job.Open(requests));
  RS_ASSIGN_OR_RETURN(const auto store, store::Store::Open(arguments.data, {.create = true}));
  RS_ASSIGN_OR_RETURN(const std::vector<store::RunFile> files,
                      StoreTraces(arguments.job.paths(), store->blobs()));
  Report report = DescribeJob(*job);
  report.traces = arguments.job.Words();
  run.world_size = report.world_size;
  if (run.hardware.empty() && !report.devices.empty()) run.hardware = report.devices.front();
  if (run.name.empty())
    run.name = CommonFolder(FindTraceFiles(arguments.job.paths())->paths).filename().string();
  run.key = KeyOf(run, files);
  const std::vector<store::Run> runs = store->catalogue().All();
  const auto same = std::ranges::find(runs, run.key, &store::Run::key);
  if (same != runs.end()) {
    Tell(fmt::format("run {} has these files already", same->id));
    return WriteOutput("", same->id + "\n");
  }
  RS_ASSIGN_OR_RETURN(report.tables, job->RunAll(requests));
  store::RunReport made{.version = 1, .made_s = std::time(nullptr), .program = ProgramVersion()};
  TellLost(*job);
  RS_ASSIGN_OR_RETURN(made.tables, StoreReport(report, *store));
  made.summary = WriteSummary(report);
  run.files = files;
  run.reports.push_back(std::move(made));
  run.state = store::RunState::kReady;
  // All at once, and last: who is killed before leaves no run.
  RS_ASSIGN_OR_RETURN(const store::Run kept, store->catalogue().Create(std::move(run)));
  return WriteOutput("", kept.id + "\n");
}

}  // namespace

void AddStoreAdd(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("add", "keep a job: its traces, its report and its tables");
  auto arguments = std::make_shared<Arguments>();
  arguments->job.AddTo(*command);
  AddDataFolder(*command, arguments->data);
  store::Run& run = arguments->run;
  command->add_option("--name", run.name, "of the run (default: the folder's)");
  command->add_option("--user", run.user, "whose job it is");
  command->add_option("--team", run.team, "of which team");
  command->add_option("--model", run.model, "what it trains or serves");
  command->add_option("--product", run.product, "what that is for");
  command->add_option("--framework", run.framework, "such as PyTorch 2.9");
  command->add_option("--hardware", run.hardware, "(default: the first device's name)");
  command->add_option("--tag", arguments->tags, "NAME=VALUE; the tag keep: never removed by gc")
      ->allow_extra_args(false);
  command->footer("Example:\n  rankscope store add traces/ --data /var/lib/rankscope --name llama");
  command->callback(
      [&action, arguments] { action = MakeAction([arguments] { return Run(*arguments); }); });
}

}  // namespace rankscope::cli
