#include "rerun/experiment.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/process.h"
#include "rerun/run_times.h"
#include "rerun/tree_copy.h"

namespace rankscope::rerun {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLinesOfLog = 12;
constexpr const char* kNames[] = {"before", "after"};

Status MakeFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Error(StatusCode::kIo, "{}: {}", folder, error.message());
  return OkStatus();
}

// The last lines of a log: why a program failed stands there.
std::vector<std::string> EndOf(const std::string& log) {
  const auto text = ReadFile(log);
  std::vector<std::string> lines;
  if (!text.ok()) return lines;
  for (std::size_t begin = 0; begin < text->size();) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    if (end > begin) lines.push_back(text->substr(begin, end - begin));
    begin = end + 1;
  }
  if (lines.size() > kLinesOfLog)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kLinesOfLog));
  return lines;
}

}  // namespace

Result<Experiment> Experiment::Prepare(const Plan& plan, const Watch& watch) {
  Experiment experiment(plan, watch);
  RS_ASSIGN_OR_RETURN(experiment.hooks_, WriteHooks(plan.work));
  if (!plan.source.empty()) {
    experiment.trees_[0] = (fs::path(plan.work) / "before" / "source").string();
    RS_RETURN_IF_ERROR(CopyTree(plan.source, experiment.trees_[0]));
  }
  return experiment;
}

Status Experiment::Apply(const Change& change) {
  environment_ = change.environment;
  if (plan_->source.empty()) {
    if (!change.tree.empty() || !change.files.empty())
      return Error(StatusCode::kInvalidArgument,
                   "a change of the code needs --source FOLDER, of which a copy is changed");
    return OkStatus();
  }
  trees_[1] = (fs::path(plan_->work) / "after" / "source").string();
  RS_RETURN_IF_ERROR(CopyTree(change.tree.empty() ? plan_->source : change.tree, trees_[1]));
  for (const auto& [path, text] : change.files)
    RS_RETURN_IF_ERROR(WriteFileAtomically((fs::path(trees_[1]) / path).string(), text));
  return OkStatus();
}

std::string Experiment::FolderOf(Side side) const {
  return (fs::path(plan_->work) / kNames[static_cast<int>(side)]).string();
}

std::vector<std::string> Experiment::CommandIn(Side side) const {
  const std::string& tree = trees_[static_cast<int>(side)];
  std::vector<std::string> words = plan_->command;
  if (tree.empty()) return words;
  for (std::string& word : words) word = WordInCopy(word, plan_->source, tree, plan_->folder);
  return words;
}

Result<double> Experiment::Run(Side side, HookWish wish) const {
  RS_RETURN_IF_ERROR(MakeFolder(wish.out));
  const std::string& tree = trees_[static_cast<int>(side)];
  wish.tree = tree;
  ProcessSpec spec;
  spec.words = CommandIn(side);
  if (side == Side::kAfter) spec.environment = environment_;
  for (auto& [name, value] : EnvironmentOf(wish, hooks_)) {
    // A path of the change stands behind that of the hooks.
    const auto own = spec.environment.find(name);
    spec.environment[name] =
        own == spec.environment.end() || name != "PYTHONPATH" ? value : hooks_ + ":" + own->second;
  }
  spec.folder =
      tree.empty() ? plan_->folder : InCopy(plan_->folder, plan_->source, tree, plan_->folder);
  spec.log = wish.out + ".log";
  RS_ASSIGN_OR_RETURN(const ProcessEnd end, RunProcess(spec, plan_->limit, watch_->is_stopped));
  if (end.ran_too_long)
    return Error(StatusCode::kResource,
                 "a run took longer than {} s and was ended: --limit allows more, --steps ends it "
                 "sooner",
                 plan_->limit.count());
  if (end.exit_code != 0) {
    for (const std::string& line : EndOf(spec.log)) watch_->tell("| " + line);
    return Error(
        StatusCode::kBadData,
        "the command ended with {}, {} the change; the last lines that it printed stand above",
        end.exit_code, kNames[static_cast<int>(side)]);
  }
  if (!tree.empty()) {
    RS_ASSIGN_OR_RETURN(const bool ran_copy, RanCodeOfTree(wish.out));
    if (!ran_copy)
      return Error(StatusCode::kInvalidArgument,
                   "no Python process of the command ran a file of the copy of {}: start from a "
                   "folder in it, or name the program by a path in it",
                   plan_->source);
  }
  return end.seconds;
}

Result<std::vector<std::string>> Experiment::Record(Side side) const {
  watch_->tell(fmt::format("recording {} the change", kNames[static_cast<int>(side)]));
  const std::string out = (fs::path(FolderOf(side)) / "recorded").string();
  HookWish wish{.out = out, .warmup = plan_->warmup};
  if (plan_->traces.empty()) {
    wish.records = wish.ends_behind = true;
    wish.steps = plan_->recorded;
  }
  RS_RETURN_IF_ERROR(Run(side, wish).status());
  if (!plan_->traces.empty()) {
    const std::string& tree = trees_[static_cast<int>(side)];
    const std::string folder =
        tree.empty() ? plan_->folder : InCopy(plan_->folder, plan_->source, tree, plan_->folder);
    return std::vector<std::string>{(fs::path(folder) / plan_->traces).string()};
  }
  RS_ASSIGN_OR_RETURN(std::vector<std::string> traces, RecordingsIn(out));
  if (traces.empty())
    return Error(
        StatusCode::kBadData,
        "nothing was recorded: no process of the command imported torch and ended {} steps "
        "of an optimizer; --traces PATTERN takes traces that it leaves itself",
        plan_->warmup + plan_->recorded);
  return traces;
}

Status Experiment::TimeOnce(Side side, int number, SideRuns* runs) const {
  watch_->tell(fmt::format("run {} of {}, {} the change", number, plan_->runs,
                           kNames[static_cast<int>(side)]));
  const std::string out = (fs::path(FolderOf(side)) / fmt::format("run-{}", number)).string();
  const HookWish wish{
      .out = out, .warmup = plan_->warmup, .steps = plan_->steps, .ends_behind = plan_->steps > 0};
  RS_ASSIGN_OR_RETURN(const double seconds, Run(side, wish));
  RS_ASSIGN_OR_RETURN(const std::optional<RunTimes> times, ReadRunTimes(out));
  runs->steps_ns.push_back(times ? times->step_ns : seconds * 1e9);
  runs->are_whole_runs |= !times;
  if (times) {
    runs->are_of_device |= times->is_of_device;
    runs->ranks = std::max(runs->ranks, times->ranks);
    runs->steps = runs->steps == 0 ? times->steps : std::min(runs->steps, times->steps);
  }
  return OkStatus();
}

Result<Experiment::Both> Experiment::Time() const {
  Both both;
  for (int number = 1; number <= plan_->runs; ++number) {
    RS_RETURN_IF_ERROR(TimeOnce(Side::kBefore, number, &both.before));
    RS_RETURN_IF_ERROR(TimeOnce(Side::kAfter, number, &both.after));
  }
  if (both.before.are_whole_runs != both.after.are_whole_runs)
    return Error(StatusCode::kBadData,
                 "steps of an optimizer were seen on one side alone: the program does not train "
                 "alike before and after the change");
  return both;
}

}  // namespace rankscope::rerun
