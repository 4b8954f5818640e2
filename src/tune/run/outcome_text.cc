#include <fmt/format.h>

#include <algorithm>

#include "base/shell_words.h"
#include "report/base/text_lines.h"
#include "table/style.h"
#include "tune/run/outcome_words.h"
#include "tune/run/words.h"

namespace rankscope::tune {
namespace {

void AppendChanges(std::string& out, const Outcome& outcome) {
  const auto changes = Changes(outcome);
  if (changes.empty()) return;
  AppendHeading(out, "CHANGE");
  std::size_t names = 0, befores = 0;
  for (const ChangeRow& row : changes) {
    names = std::max(names, row.name.size());
    befores = std::max(befores, row.before.size());
  }
  for (const ChangeRow& row : changes)
    out += fmt::format("  {:<{}}  {:>{}} -> {}\n", row.name, names, row.before, befores, row.after);
  if (!outcome.command.empty()) out += fmt::format("\n  {}\n", ShellWords(outcome.command));
}

void AppendTrials(std::string& out, const Outcome& outcome) {
  const auto table = TrialTable(outcome);
  if (table.empty()) return;
  AppendHeading(out, fmt::format("TRIALS ({}; the first one was the diagnosis)", table.size() + 1));
  std::size_t settings = 8;
  for (const TrialCells& row : table) settings = std::max(settings, row.settings.size());
  out += fmt::format("  {:>3} {:<8} {:<{}} {:>9}\n", "#", "stage", "settings", settings,
                     outcome.mode == LoadMode::kRamp ? "good to" : "good");
  for (const TrialCells& row : table) {
    std::string line = fmt::format("  {:>3} {:<8} {:<{}} {:>9}", row.number, row.stage,
                                   row.settings, settings, row.good);
    if (!row.note.empty()) line += "  " + row.note;
    out += line + "\n";
  }
}

}  // namespace

std::string WriteTuneText(const Outcome& outcome, bool colour) {
  std::string out;
  AppendWrapped(out, "", Headline(outcome));
  AppendChanges(out, outcome);
  out += "\n";
  for (const std::string& paragraph : Paragraphs(outcome)) AppendWrapped(out, "", paragraph);
  AppendTrials(out, outcome);
  if (!outcome.kept.empty()) out += fmt::format("\nKept: {}\n", outcome.kept);
  return Resolve(out, colour);
}

std::string WriteTuneMarkdown(const Outcome& outcome) {
  std::string out = fmt::format("**{}**\n", Headline(outcome));
  const auto changes = Changes(outcome);
  if (!changes.empty()) {
    out += "\n| parameter | now | better |\n|---|---|---|\n";
    for (const ChangeRow& row : changes)
      out += fmt::format("| {} | {} | {} |\n", row.name, row.before, row.after);
    if (!outcome.command.empty())
      out += fmt::format("\n```sh\n{}\n```\n", ShellWords(outcome.command));
  }
  for (const std::string& paragraph : Paragraphs(outcome)) out += "\n" + paragraph + "\n";
  out += "\n| # | stage | settings | good | |\n|---:|---|---|---:|---|\n";
  for (const TrialCells& row : TrialTable(outcome)) {
    std::string note = row.note;
    std::ranges::replace(note, '|', '/');
    out += fmt::format("| {} | {} | {} | {} | {} |\n", row.number, row.stage, row.settings,
                       row.good, note);
  }
  return out;
}

}  // namespace rankscope::tune
