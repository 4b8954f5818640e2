// `rankscope completion` and `rankscope manual`: the command line says itself what it takes.
#include "catalog/list.h"
#include "cli/command.h"
#include "cli/command_tree.h"
#include "cli/manual.h"
#include "cli/output.h"
#include "cli/shell_completion.h"
#include "compare/tables.h"
#include "hang/tables.h"
#include "insight/rule_ids.h"
#include "memory/tables.h"
#include "sim/cause.h"
#include "sql/query.h"

namespace rankscope::cli {
namespace {

Command TreeOf(const CommandSpec& app) {
  WordsOfType words;
  for (const Analysis* analysis : AllAnalyses()) words[kAnalysisType].push_back(analysis->name);
  for (const DiffTable& table : DiffTables()) {
    words[kDiffTableType].emplace_back(table.name);
    words[kAnalysisType].emplace_back(table.name);
  }
  for (const memory::MemoryTable& table : memory::MemoryTables()) {
    words[kMemoryTableType].emplace_back(table.name);
    words[kAnalysisType].emplace_back(table.name);
  }
  words[kTableType] = words[kAnalysisType];
  for (const HangTable& table : HangTableList()) words[kTableType].emplace_back(table.name);
  for (const sql::View& view : sql::Views()) words[kTableType].emplace_back(view.name);
  for (const sim::CauseInfo& cause : sim::CauseTable()) words[kCauseType].emplace_back(cause.name);
  words[kFindingType] = RuleNames();
  words[kGateType] = RuleNames();
  for (const char* severity : {"high", "medium", "low"}) words[kGateType].emplace_back(severity);
  return ReadCommandTree(app, words);
}

std::string ScriptOf(const CommandSpec& app, const std::string& shell) {
  const Command root = TreeOf(app);
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
