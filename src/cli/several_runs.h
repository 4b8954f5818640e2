// What was named holds several runs, which make no job together: which one is meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/listener.h"

namespace rankscope::cli {

// "/traces/a /traces/b", as a shell takes them.
std::string WordsOf(const app::RunChoice& run);

// A line for each, with `command` (such as "rankscope analyze") before what names it.
std::string ListOfRuns(const std::vector<app::RunChoice>& runs, const std::string& command);

// Says on standard error that these make no job together, and ListOfRuns; `remedy` goes on after
// "name one".
void TellRuns(const std::vector<app::RunChoice>& runs, const std::string& command,
              std::string_view remedy);

// Asks on a terminal, with a numbered line for each; none where nobody can be asked or nothing was
// chosen.
std::optional<std::size_t> AskForRun(const std::vector<app::RunChoice>& runs);

}  // namespace rankscope::cli
