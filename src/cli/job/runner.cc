#include "cli/job/runner.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "app/trace_files.h"
#include "base/file.h"
#include "base/number_set.h"
#include "cli/base/interrupt.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/base/own_program.h"
#include "report/base/wording.h"
#include "shard_plan/plan.h"
#include "shards/gather.h"
#include "shards/kubernetes.h"
#include "shards/slurm.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

Result<std::string> Absolute(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return Error(StatusCode::kIo, "{}: {}", path, error.message());
  return absolute.lexically_normal().string();
}

// In the folder where one stands, which nodes of a cluster mostly share.
std::string NewFolderName() {
  return fmt::format("rankscope-shards-{:08x}", std::random_device{}());
}

// The name of Kubernetes' jobs: that of the folder, as far as it may be.
std::string NameOf(const std::string& folder) {
  const std::string name = fs::path(folder).filename().string();
  return shards::IsKubernetesName(name) ? name : NewFolderName();
}

}  // namespace

void RunnerArguments::AddTo(CommandSpec& command) {
  command
      .AddOption("--runner", runner_,
                 "read the job elsewhere: by an array job of Slurm, or by Kubernetes, for which "
                 "the manifest is written")
      .OneOf({"slurm", "kubernetes"});
  command
      .AddOption("--runner-dir", folder_,
                 "a new folder that all nodes see under this path (Slurm's default: below the "
                 "current one; it goes when the report is there)")
      .Type(kFolderType);
  command.AddOption("--shard-size", shard_size_, "text of traces that one process reads, about")
      .ShowDefault();
  command.AddOption("--at-once", most_at_once_, "shards that are read at once (default: all)")
      .Positive();
  command.AddOption("--sbatch", sbatch_, "a word for sbatch, such as --partition=cpu; repeatable")
      .Type("WORD")
      .OneEach();
  command.AddFlag("--no-wait", no_wait_,
                  "slurm: submit the jobs, and say where the report will be");
  command.AddOption("--image", image_, "kubernetes: the image with rankscope");
  command.AddOption("--claim", claim_,
                    "kubernetes: the PersistentVolumeClaim with traces and --runner-dir");
  command.AddOption("--mount", mount_, "kubernetes: where it is mounted, here and in pods");
  command.AddOption("--pod-memory", memory_, "kubernetes: memory of a pod").ShowDefault();
  command.AddOption("--pod-cpu", cpu_, "kubernetes: cores of a pod").ShowDefault();
  command
      .AddOption("--shards", shards_, "make the report of what shards have read into this folder")
      .Type(kFolderType);
  command
      .AddOption("--wait-for-shards", wait_minutes_,
                 "minutes to wait for shards that are not done; what they lack is left out then")
      .Positive();
}

Status RunnerArguments::TakeShards(app::JobSpec& spec) const {
  if (shards_.empty()) return OkStatus();
  RS_ASSIGN_OR_RETURN(const std::string folder, Absolute(shards_));
  const InterruptFlag interrupted;
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(wait_minutes_);
  if (wait_minutes_ > 0) {
    const auto is_over = [&] {
      return interrupted.IsSet() || std::chrono::steady_clock::now() > end;
    };
    RS_RETURN_IF_ERROR(shards::WaitForShards(folder, is_over).status());
  }
  if (interrupted.IsSet()) interrupted.EndProcess();
  RS_ASSIGN_OR_RETURN(shards::Gathered gathered, shards::GatherShards(folder));
  if (gathered.without_result > 0)
    Tell(fmt::format("shards without a result: {} of {}; their files are left out",
                     gathered.without_result, gathered.shards));
  spec.left_out = std::move(gathered.left_out);
  spec.cache = shards::CacheOf(folder);
  return OkStatus();
}

Status RunnerArguments::Check(const JobArguments& job) const {
  for (const std::string& path : job.paths()) {
    if (path == "-")
      return Error(StatusCode::kInvalidArgument,
                   "--runner reads files that other machines see, not standard input");
  }
  if (runner_ == "slurm") {
    if (no_wait_ && folder_.empty())
      return Error(StatusCode::kInvalidArgument,
                   "--no-wait needs --runner-dir, the folder in which the report will be");
    return OkStatus();
  }
  if (image_.empty() || claim_.empty() || mount_.empty() || folder_.empty())
    return Error(StatusCode::kInvalidArgument,
                 "--runner kubernetes needs --image, --claim, --mount and --runner-dir");
  // Pods see what is below the mount, under the same path, and nothing else.
  RS_ASSIGN_OR_RETURN(std::string mount, Absolute(mount_));
  if (!mount.ends_with('/')) mount += '/';
  std::vector<std::string> paths = job.paths();
  paths.push_back(folder_);
  for (const std::string& path : paths) {
    RS_ASSIGN_OR_RETURN(const std::string absolute, Absolute(path));
    if (!absolute.starts_with(mount))
      return Error(StatusCode::kInvalidArgument, "{} is not below --mount {}: pods do not see it",
                   path, mount_);
  }
  return OkStatus();
}

Result<ExitCode> RunnerArguments::Run(const JobArguments& job, const ReportWords& report) const {
  RS_RETURN_IF_ERROR(Check(job));
  const bool is_slurm = runner_ == "slurm";
  RS_ASSIGN_OR_RETURN(const std::uint64_t shard_bytes, ParseByteSize(shard_size_));
  RS_ASSIGN_OR_RETURN(const app::JobSpec spec, job.Spec());
  RS_ASSIGN_OR_RETURN(const std::string folder,
                      Absolute(folder_.empty() ? NewFolderName() : folder_));
  shards::ShardPlan plan{
      .kernel_classes = spec.kernel_classes_file, .draws = report.draws, .threads = job.jobs()};
  for (const std::string& path : spec.paths) {
    RS_ASSIGN_OR_RETURN(std::string absolute, Absolute(path));
    plan.paths.push_back(std::move(absolute));
  }
  if (!plan.kernel_classes.empty()) {
    RS_ASSIGN_OR_RETURN(plan.kernel_classes, Absolute(plan.kernel_classes));
  }
  if (spec.steps) plan.steps.assign(spec.steps->begin(), spec.steps->end());
  RS_ASSIGN_OR_RETURN(const std::vector<app::TraceFile> files, app::TraceFilesOf(plan.paths));
  std::vector<shards::TraceFile> to_divide;
  for (const app::TraceFile& file : files) to_divide.push_back({file.path, file.bytes});
  plan.shards = shards::DivideIntoShards(to_divide, shard_bytes);
  RS_RETURN_IF_ERROR(shards::WritePlan(folder, plan));
  Tell(fmt::format("{} in {}: {}", Plural(files.size(), "file"),
                   Plural(plan.shards.size(), "shard"), folder));
  std::vector<std::string> words = {"analyze"};
  for (std::string& word : job.FromAnywhere()) words.push_back(std::move(word));
  words.insert(words.end(), report.options.begin(), report.options.end());
  words.insert(words.end(), {"--shards", folder, "-o", shards::ReportPath(folder)});
  if (is_slurm) return RunInSlurm(folder, plan.shards.size(), std::move(words), report);
  RS_RETURN_IF_ERROR(WriteForKubernetes(folder, plan.shards.size(), std::move(words), report));
  return kDone;
}

Result<ExitCode> RunnerArguments::RunInSlurm(const std::string& folder, std::size_t shard_count,
                                             std::vector<std::string> words,
                                             const ReportWords& report) const {
  RS_ASSIGN_OR_RETURN(std::string program, OwnProgram());
  const shards::SlurmSpec spec{.folder = folder,
                               .program = std::move(program),
                               .shards = shard_count,
                               .most_at_once = most_at_once_,
                               .sbatch = sbatch_,
                               .report = std::move(words)};
  const InterruptFlag interrupted;
  const auto remove = [&] {
    std::error_code ignored;
    if (folder_.empty()) fs::remove_all(folder, ignored);
  };
  const Result<shards::SlurmJobs> jobs = shards::SubmitToSlurm(spec);
  if (!jobs.ok()) {
    remove();
    return jobs.status();
  }
  if (no_wait_) {
    Tell(fmt::format("Slurm's jobs {} (shards) and {} (report); the report will be {}",
                     jobs->shards, jobs->report, shards::ReportPath(folder)));
    return kDone;
  }
  const Result<int> code =
      shards::WaitForSlurm(spec, *jobs,
                           {.is_stopped = [&] { return interrupted.IsSet(); },
                            .on_progress =
                                [&](std::size_t done) {
                                  Tell(fmt::format("shards read: {} of {}", done, shard_count));
                                }});
  if (!code.ok() && code.status().code() == StatusCode::kCancelled) {
    Tell(code.status().message());
    remove();
    interrupted.EndProcess();
  }
  if (!code.ok()) return code.status();
  // What it told is told here, too; most of it is what was left out.
  const Result<std::string> said = ReadFile(folder + "/report.log");
  if (said.ok() && !said->empty()) WriteToStderr(*said);
  if (*code != kDone && *code != kGateHit)
    return Error(StatusCode::kInternal, "the report could not be made: {}/report.log", folder);
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(shards::ReportPath(folder)));
  RS_RETURN_IF_ERROR(WriteOutput(report.output, text));
  remove();
  return static_cast<ExitCode>(*code);
}

Status RunnerArguments::WriteForKubernetes(const std::string& folder, std::size_t shard_count,
                                           std::vector<std::string> words,
                                           const ReportWords& report) const {
  // Two days: as long as a job of many pods may have to wait for its turn.
  words.insert(words.end(), {"--wait-for-shards", "2880"});
  const std::string manifest = shards::KubernetesManifest({.folder = folder,
                                                           .name = NameOf(folder),
                                                           .image = image_,
                                                           .claim = claim_,
                                                           .mount = mount_,
                                                           .shards = shard_count,
                                                           .most_at_once = most_at_once_,
                                                           .memory = memory_,
                                                           .cpu = cpu_,
                                                           .report = std::move(words)});
  RS_RETURN_IF_ERROR(WriteOutput(report.output, manifest));
  Tell(fmt::format("kubectl apply -f - starts it; the report will be {}",
                   shards::ReportPath(folder)));
  return OkStatus();
}

}  // namespace rankscope::cli
