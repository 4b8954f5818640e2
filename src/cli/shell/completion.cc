// `rankscope completion` and `rankscope manual`: the command line says itself what it takes.
#include "catalog/findings.h"
#include "catalog/tables.h"
#include "cli/base/command.h"
#include "cli/base/output.h"
#include "cli/shell/command_tree.h"
#include "cli/shell/manual.h"
#include "cli/shell/shell_completion.h"
#include "sim/model/cause.h"

namespace rankscope::cli {
namespace {

Command TreeOf(const CommandSpec& program) {
  WordsOfType words;
  const auto add = [&words](const char* type, const std::vector<std::string>& names) {
    words[type].insert(words[type].end(), names.begin(), names.end());
  };
  add(kDiffTableType, catalog::TableNames(Subject::kPair));
  add(kMemoryTableType, catalog::TableNames(Subject::kSnapshot));
  for (const Subject subject : {Subject::kJob, Subject::kPair, Subject::kSnapshot})
    add(kAnalysisType, catalog::TableNames(subject));
  add(kTableType, words[kAnalysisType]);
  add(kTableType, catalog::TableNames(Subject::kDumps));
  add(kTableType, catalog::TableNames(Subject::kServing));
  add(kTableType, catalog::TableNames(Subject::kPostTraining));
  add(kTableType, catalog::TableNames(Subject::kFleet));
  add(kTableType, catalog::TableNames(Subject::kEvents));
  for (const sim::CauseInfo& cause : sim::CauseTable()) words[kCauseType].emplace_back(cause.name);
  add(kFindingType, catalog::PageNames());
  add(kGateType, catalog::FindingNames(Subject::kJob));
  add(kGateType, {"high", "medium", "low"});
  return ReadCommandTree(program, words);
}

std::string ScriptOf(const CommandSpec& program, const std::string& shell) {
  const Command root = TreeOf(program);
  if (shell == "bash") return BashCompletion(root);
  if (shell == "zsh") return ZshCompletion(root);
  return FishCompletion(root);
}

}  // namespace

void AddCompletion(CommandSpec& app) {
  CommandSpec& command = app.AddCommand("completion", "write a script that completes in a shell");
  auto shell = std::make_shared<std::string>();
  command.AddOption("SHELL", *shell, "bash, zsh or fish").Required().OneOf({"bash", "zsh", "fish"});
  command.Footer("Example:\n  source <(rankscope completion bash)");
  command.SetRun(MakeAction([&app, shell] { return WriteOutput("", ScriptOf(app, *shell)); }));
}

void AddManual(CommandSpec& app) {
  CommandSpec& command = app.AddCommand("manual", "write the manual page");
  command.Footer("Example:\n  rankscope manual | man -l -");
  command.SetRun(
      MakeAction([&app] { return WriteOutput("", ManualPage(TreeOf(app), ProgramVersion())); }));
}

}  // namespace rankscope::cli
