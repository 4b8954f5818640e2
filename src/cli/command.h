// What every command line of rankscope shares: the job to look at, and exit codes.
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

// Type names of values: what a shell offers for them follows from these (command_tree.h).
constexpr const char* kFileType = "FILE";
constexpr const char* kFolderType = "FOLDER";
constexpr const char* kAnalysisType = "ANALYSIS";         // or a table of a comparison
constexpr const char* kTableType = "TABLE";               // these, or a view of SQL
constexpr const char* kDiffTableType = "DIFF_TABLE";      // of a comparison
constexpr const char* kMemoryTableType = "MEMORY_TABLE";  // of a memory snapshot
constexpr const char* kCauseType = "CAUSE";
constexpr const char* kFindingType = "FINDING";
constexpr const char* kGateType = "GATE";  // a severity or a finding

// Of this program, such as 0.1.0.
std::string ProgramVersion();

// A chosen command, run after parsing; returns an exit code.
using Action = std::function<int()>;

// Prints "rankscope: <sentence>" to stderr and returns the exit code that fits the status.
int Fail(const Status& status);

// --kernel-classes FILE, of every command that tells kernels apart.
class KernelClassesArgument {
 public:
  void AddTo(CommandSpec& app);
  const std::string& path() const { return path_; }  // "" where none was named

 private:
  std::string path_;
};

// The options that name and bound a job: PATH..., --jobs, --ranks, --steps, --capture,
// --kernel-classes, --cache-dir, --no-cache, --cache-size.
class JobArguments {
 public:
  enum class Paths { kOne, kMany, kAny };  // kAny: also none, for who looks at paths() first
  void AddTo(CommandSpec& app, Paths paths = Paths::kMany);
  // For a command of two jobs: what bounds one of them, with its name ("base") in front of the
  // options, and what both share, which the sides then take over.
  void AddSide(CommandSpec& app, const std::string& side);
  void AddShared(CommandSpec& app);
  void TakeShared(const JobArguments& from);
  // The job to open; an error for what cannot be meant.
  Result<app::JobSpec> Spec() const;
  const std::vector<std::string>& paths() const { return paths_; }
  // The words that name and bound the same job from any folder, with the same number of threads; of
  // the cache they say nothing.
  std::vector<std::string> FromAnywhere() const;
  int jobs() const { return jobs_; }
  // Whether some of the recordings are chosen.
  bool chooses() const { return !ranks_.empty() || !steps_.empty() || capture_ != kLatestCapture; }

 private:
  static constexpr const char* kLatestCapture = "latest";
  void AddSelection(CommandSpec& app);
  std::string OptionOf(std::string_view name) const;
  // What another command takes to see the same job: paths, and the options that choose from them.
  // Many paths are TRACES: a command line with all of them is no help.
  std::string Words() const;

  std::vector<std::string> paths_;
  std::string side_;  // "" of a command of one job
  int jobs_ = 0;
  std::string ranks_;
  std::string steps_;
  std::string capture_ = kLatestCapture;
  KernelClassesArgument kernel_classes_;
  std::string cache_dir_;
  std::string cache_size_ = "32G";
  bool no_cache_ = false;
};

// The action that runs a command: prints its error, if any, and makes it the exit code.
Action MakeAction(std::function<Status()> run);
// Of a command that ends in other ways, too: what it says is the exit code.
Action MakeActionWithCode(std::function<Result<ExitCode>()> run);

// "NAME=VALUE" pairs of --set.
Result<app::Settings> ParseSettings(const std::vector<std::string>& settings);

// The commands, each declared in its own file.
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
