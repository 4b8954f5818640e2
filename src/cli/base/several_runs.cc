#include "cli/base/several_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <iostream>

#include "api/several_runs.h"
#include "base/shell_words.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "json/fields.h"
#include "table/terminal_text.h"

namespace rankscope::cli {
namespace {

constexpr std::size_t kMostPaths = 3;

std::string Ranks(const app::RunChoice& run) {
  return fmt::format("{} rank{}", run.ranks.size(), run.ranks.size() == 1 ? "" : "s");
}

// A server makes runs of them.
void TellCaller(const std::vector<app::RunChoice>& runs) {
  const char* const file = std::getenv(api::kSeveralRunsVariable);
  if (file == nullptr) return;
  api::SeveralRuns several;
  for (const app::RunChoice& run : runs) several.runs.push_back({run.paths});
  const Status told = WriteOutput(file, json::ToJson(several));
  if (!told.ok()) Tell(told.message());
}

}  // namespace

std::string WordsOf(const app::RunChoice& run) {
  std::vector<std::string> words;
  for (const std::string& path : run.paths) words.push_back(ShellWord(path));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string ListOfRuns(const std::vector<app::RunChoice>& runs, const std::string& command) {
  std::string list;
  for (const app::RunChoice& run : runs) {
    list += fmt::format("  {} {}  # {}{}{}\n", command, SafeForTerminal(WordsOf(run)), Ranks(run),
                        run.device_name.empty() ? "" : " on ", SafeForTerminal(run.device_name));
  }
  return list;
}

void TellRuns(const std::vector<app::RunChoice>& runs, const std::string& command,
              std::string_view remedy) {
  TellCaller(runs);
  Tell(fmt::format("these are recordings of {} runs, which make no job together: name one{}",
                   runs.size(), remedy));
  WriteToStderr(ListOfRuns(runs, command));
}

std::optional<std::size_t> AskForRun(const std::vector<app::RunChoice>& runs) {
  if (isatty(STDIN_FILENO) == 0 || !IsTerminal()) return std::nullopt;
  std::string text =
      fmt::format("These are recordings of {} runs, which make no job together:\n", runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const app::RunChoice& run = runs[i];
    const std::string more = run.paths.size() > kMostPaths
                                 ? fmt::format(" and {} more", run.paths.size() - 1)
                                 : std::string();
    text += fmt::format("{:>4}  {:<9} {}{}\n", i + 1, Ranks(run),
                        SafeForTerminal(more.empty() ? WordsOf(run) : run.paths.front()), more);
  }
  text += "Which one? (--all analyses each) ";
  WriteToStderr(text);
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  const bool is_one = error == std::errc() && end == line.data() + line.size();
  return is_one && number >= 1 && number <= runs.size() ? std::optional(number - 1) : std::nullopt;
}

}  // namespace rankscope::cli
