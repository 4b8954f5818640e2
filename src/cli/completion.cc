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

Command TreeOf(const CLI::App& app) {
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

std::string ScriptOf(const CLI::App& app, const std::string& shell) {
  const Command root = TreeOf(app);
  if (shell == "bash") return BashCompletion(root);
  if (shell == "zsh") return ZshCompletion(root);
  return FishCompletion(root);
}

}  // namespace

void AddCompletion(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("completion", "write a script that completes in a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer("Example:\n  source <(rankscope completion bash)");
  command->callback([&app, &action, shell] {
    action = MakeAction([&app, shell] { return WriteOutput("", ScriptOf(app, *shell)); });
  });
}

void AddManual(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("manual", "write the manual page");
  command->footer("Example:\n  rankscope manual | man -l -");
  command->callback([&app, &action] {
    action = MakeAction([&app] { return WriteOutput("", ManualPage(TreeOf(app), app.version())); });
  });
}

}  // namespace rankscope::cli
