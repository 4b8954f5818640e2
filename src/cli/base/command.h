// What all commands of rankscope share: the job to look at, and exit codes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/open_job.h"
#include "base/status.h"
#include "contract/command.h"

namespace rankscope::cli {

enum ExitCode { kDone = 0, kCouldNot = 1, kBadUsage = 2, kGateHit = 3, kNotConfirmed = 4 };
constexpr std::pair<ExitCode, std::string_view> kExitCodes[] = {
    {kDone, "done"},
    {kCouldNot, "could not be done; one line on standard error says why"},
    {kBadUsage, "the command line was wrong"},
    {kGateHit, "what --fail-on names, or worse, was found"},
    {kNotConfirmed, "rerun: the promised gain did not come; tune: the canary broke"},
};

// Type names of values; they determine what a shell completes (command_tree.h).
constexpr const char* kFileType = "FILE";
constexpr const char* kFolderType = "FOLDER";
constexpr const char* kAnalysisType = "ANALYSIS";         // or a table of a comparison
constexpr const char* kTableType = "TABLE";               // tables above, or an SQL view
constexpr const char* kDiffTableType = "DIFF_TABLE";      // of a comparison
constexpr const char* kMemoryTableType = "MEMORY_TABLE";  // of a memory snapshot
constexpr const char* kCauseType = "CAUSE";
constexpr const char* kFindingType = "FINDING";
constexpr const char* kGateType = "GATE";  // a severity or a finding

// This program's version, such as 0.1.0.
std::string ProgramVersion();

// The action of a chosen command, run after parsing; returns an exit code.
using Action = std::function<int()>;

// Prints "rankscope: <sentence>" to stderr and returns the exit code for the status.
int Fail(const Status& status);

// --kernel-classes FILE, for every command that classifies kernels.
class KernelClassesArgument {
 public:
  void AddTo(CommandSpec& app);
  const std::string& path() const { return path_; }  // "" if not given

 private:
  std::string path_;
};

// The options that select a job: PATH..., --jobs, --ranks, --steps, --capture, --kernel-classes,
// --cache-dir, --no-cache, --cache-size.
class JobArguments {
 public:
  enum class Paths { kOne, kMany, kAny };  // kAny: also none; the caller must check paths() first
  void AddTo(CommandSpec& app, Paths paths = Paths::kMany);
  // For a command with two jobs: the options that select one of them, prefixed with its name
  // ("base"), and the shared options, which both sides then use.
  void AddSide(CommandSpec& app, const std::string& side);
  void AddShared(CommandSpec& app);
  void TakeShared(const JobArguments& from);
  // The job to open; an error for invalid options.
  Result<app::JobSpec> Spec() const;
  const std::vector<std::string>& paths() const { return paths_; }
  // The words that select the same job from any folder, with the same number of threads; without
  // the cache options.
  std::vector<std::string> FromAnywhere() const;
  int jobs() const { return jobs_; }
  // Whether only some of the recordings are selected.
  bool chooses() const { return !ranks_.empty() || !steps_.empty() || capture_ != kLatestCapture; }

 private:
  static constexpr const char* kLatestCapture = "latest";
  void AddSelection(CommandSpec& app);
  std::string OptionOf(std::string_view name) const;
  // The words by which another command sees the same job: paths, and the options that select from
  // them. Many paths become TRACES: a command line with all of them would not help.
  std::string Words() const;

  std::vector<std::string> paths_;
  std::string side_;  // "" for a command with one job
  int jobs_ = 0;
  std::string ranks_;
  std::string steps_;
  std::string capture_ = kLatestCapture;
  KernelClassesArgument kernel_classes_;
  std::string cache_dir_;
  std::string cache_size_ = "32G";
  bool no_cache_ = false;
};

// The action that runs a command: prints its error, if any, and converts it to the exit code.
Action MakeAction(std::function<Status()> run);
// For a command with other outcomes, too: it returns the exit code itself.
Action MakeActionWithCode(std::function<Result<ExitCode>()> run);

// "NAME=VALUE" pairs of --set.
Result<app::Settings> ParseSettings(const std::vector<std::string>& settings);

// The commands, each declared in a file of its own.
void AddAnalyze(CommandSpec& app);
void AddTable(CommandSpec& app);
void AddTune(CommandSpec& app);
void AddTop(CommandSpec& app);
void AddList(CommandSpec& app);
void AddQuery(CommandSpec& app);
void AddExplain(CommandSpec& app);
void AddDiff(CommandSpec& app);
void AddMemory(CommandSpec& app);
void AddHang(CommandSpec& app);
void AddPostTraining(CommandSpec& app);
void AddServing(CommandSpec& app);
void AddLoad(CommandSpec& app);
void AddStore(CommandSpec& app);
void AddFleet(CommandSpec& app);
void AddCapacity(CommandSpec& app);
void AddServe(CommandSpec& app);
void AddWorker(CommandSpec& app);
void AddPush(CommandSpec& app);
void AddCapture(CommandSpec& app);
void AddProbe(CommandSpec& app);
void AddCerts(CommandSpec& app);
void AddToken(CommandSpec& app);
void AddAudit(CommandSpec& app);
void AddWhatIf(CommandSpec& app);
void AddFix(CommandSpec& app);
void AddShard(CommandSpec& app);
void AddRecord(CommandSpec& app);
void AddRerun(CommandSpec& app);
void AddMcp(CommandSpec& app);
void AddTrace(CommandSpec& app);
void AddSimulate(CommandSpec& app);
void AddSimulateServer(CommandSpec& app);
void AddSimulateFleet(CommandSpec& app);
void AddCompletion(CommandSpec& app);
void AddManual(CommandSpec& app);

}  // namespace rankscope::cli
