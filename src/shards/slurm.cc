#include "shards/slurm.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <thread>

#include "base/durable.h"
#include "base/file.h"
#include "base/process.h"
#include "base/shell_words.h"
#include "shards/result.h"

namespace rankscope::shards {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kPatience{5};  // of one command of Slurm's
constexpr std::chrono::milliseconds kBetweenLooks{1000};

std::string CodePath(const std::string& folder) { return folder + "/report.exit"; }

Status WriteScript(const std::string& path, const std::string& text) {
  RS_ASSIGN_OR_RETURN(const auto file, PendingFile::Create(fs::path(path).parent_path().string()));
  RS_RETURN_IF_ERROR(file->Write(text));
  return file->MoveTo(path);
}

struct Said {
  int exit_code = 0;
  std::string text;  // without the blanks around it
};

// A command of Slurm's, and what it says.
Result<Said> Ask(const std::string& folder, std::vector<std::string> words) {
  const std::string log = folder + "/asked.log";
  std::error_code ignored;
  fs::remove(log, ignored);
  const std::string name = words.front();
  ProcessSpec command;
  command.words = std::move(words);
  command.folder = folder;
  command.log = log;
  auto end = RunProcess(command, kPatience, [] { return false; });
  if (!end.ok() && end.status().code() == StatusCode::kNotFound)
    return Error(StatusCode::kNotFound,
                 "{}: not here; --runner slurm is for a machine from which jobs are submitted",
                 name);
  if (!end.ok()) return end.status();
  if (end->ran_too_long)
    return Error(StatusCode::kResource, "{} did not answer within 5 minutes", name);
  RS_ASSIGN_OR_RETURN(std::string text, ReadFile(log));
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == std::string::npos) return Said{end->exit_code, ""};
  text = text.substr(first, text.find_last_not_of(" \n") + 1 - first);
  return Said{end->exit_code, std::move(text)};
}

std::string OnOneLine(std::string text) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at))
    text.replace(at, 1, "; ");
  return text;
}

Result<std::string> Submit(const SlurmSpec& spec, std::vector<std::string> options,
                           const std::string& script) {
  std::vector<std::string> words = {"sbatch", "--parsable"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), spec.sbatch.begin(), spec.sbatch.end());
  words.push_back(script);
  RS_ASSIGN_OR_RETURN(const Said said, Ask(spec.folder, std::move(words)));
  if (said.exit_code != 0)
    return Error(StatusCode::kResource, "sbatch refuses: {}", OnOneLine(said.text));
  // "12;cluster" where there are several; warnings come before it.
  const std::string last = said.text.substr(said.text.find_last_of('\n') + 1);
  const std::string id = last.substr(0, last.find(';'));
  if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos)
    return Error(StatusCode::kInternal, "sbatch says no number of a job: {}", OnOneLine(said.text));
  return id;
}

void Cancel(const std::string& folder, const std::string& job) {
  (void)Ask(folder, {"scancel", job});
}

// Whether Slurm still has something to do for it; nothing where it does not answer.
std::optional<bool> IsLeft(const std::string& folder, const std::string& job) {
  const Result<Said> said = Ask(folder, {"squeue", "-h", "-j", job, "-o", "%T"});
  if (!said.ok()) return std::nullopt;
  if (said->exit_code == 0) return !said->text.empty();
  // So old that it has forgotten it.
  if (said->text.find("Invalid job id") != std::string::npos) return false;
  return std::nullopt;
}

std::optional<int> CodeOf(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(CodePath(folder), error)) return std::nullopt;
  const Result<std::string> text = ReadFile(CodePath(folder));
  return text.ok() ? std::optional(std::atoi(text->c_str())) : std::nullopt;
}

}  // namespace

std::string ReportPath(const std::string& folder) { return folder + "/report"; }

Status WriteSlurmScripts(const SlurmSpec& spec) {
  const std::string shard = ShellWords({spec.program, "shard", spec.folder});
  RS_RETURN_IF_ERROR(
      WriteScript(spec.folder + "/shard.sh",
                  fmt::format("#!/bin/sh\n"
                              "{} \"$SLURM_ARRAY_TASK_ID\"\n"
                              "code=$?\n"
                              "if [ $code = 75 ] && [ \"${{SLURM_RESTART_COUNT:-0}}\" "
                              "-lt 3 ]; then\n"
                              "  scontrol requeue \"$SLURM_JOB_ID\"\n"
                              "fi\n"
                              "exit $code\n",
                              shard)));
  std::vector<std::string> report = {spec.program};
  report.insert(report.end(), spec.report.begin(), spec.report.end());
  const std::string code = CodePath(spec.folder);
  return WriteScript(
      spec.folder + "/report.sh",
      fmt::format("#!/bin/sh\n{}\ncode=$?\necho $code > {} && mv {} {}\nexit $code\n",
                  ShellWords(report), ShellWord(code + ".part"), ShellWord(code + ".part"),
                  ShellWord(code)));
}

Result<SlurmJobs> SubmitToSlurm(const SlurmSpec& spec) {
  RS_RETURN_IF_ERROR(WriteSlurmScripts(spec));
  std::string array = fmt::format("--array=0-{}", spec.shards - 1);
  if (spec.most_at_once > 0) array += fmt::format("%{}", spec.most_at_once);
  SlurmJobs jobs;
  RS_ASSIGN_OR_RETURN(jobs.shards, Submit(spec,
                                          {array, "--requeue", "--job-name=rankscope-shards",
                                           fmt::format("--output={}/shard-%a.log", spec.folder)},
                                          spec.folder + "/shard.sh"));
  // Also after shards that failed: the report says what is missing.
  auto report =
      Submit(spec,
             {"--job-name=rankscope-report", fmt::format("--dependency=afterany:{}", jobs.shards),
              fmt::format("--output={}/report.log", spec.folder)},
             spec.folder + "/report.sh");
  if (!report.ok()) {
    Cancel(spec.folder, jobs.shards);
    return report.status();
  }
  jobs.report = std::move(*report);
  return jobs;
}

Result<int> WaitForSlurm(const SlurmSpec& spec, const SlurmJobs& jobs, const SlurmWatch& watch) {
  std::size_t told = std::numeric_limits<std::size_t>::max();
  while (true) {
    // Asked first: a job that is no longer there has written its code before it went.
    const std::optional<bool> is_left = IsLeft(spec.folder, jobs.report);
    if (const std::optional<int> code = CodeOf(spec.folder)) return *code;
    if (is_left == false)
      return Error(StatusCode::kInternal,
                   "Slurm's job {} ended before it had written the report: {}/report.log",
                   jobs.report, spec.folder);
    std::size_t done = 0;
    for (std::size_t i = 0; i < spec.shards; ++i) {
      const Result<ShardResult> result = ReadResult(spec.folder, i);
      if (result.ok() && result->is_done) ++done;
    }
    if (done != told) watch.on_progress(told = done);
    const auto look = std::chrono::steady_clock::now() + kBetweenLooks;
    while (std::chrono::steady_clock::now() < look) {
      if (watch.is_stopped()) {
        Cancel(spec.folder, jobs.shards);
        Cancel(spec.folder, jobs.report);
        return Error(StatusCode::kCancelled, "stopped; Slurm's jobs {} and {} were cancelled",
                     jobs.shards, jobs.report);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

}  // namespace rankscope::shards
