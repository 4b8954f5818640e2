// The user named several runs, which do not form one job: lets the user choose one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/listener.h"

namespace rankscope::cli {

// "/traces/a /traces/b", quoted for a shell.
std::string WordsOf(const app::RunChoice& run);

// One line per run: `command` (such as "rankscope analyze") and the run's words.
std::string ListOfRuns(const std::vector<app::RunChoice>& runs, const std::string& command);

// Prints to standard error that these do not form one job, then ListOfRuns; `remedy` continues the
// sentence "name one". A caller that set $RANKSCOPE_RUNS_FILE gets them there (api/several_runs.h).
void TellRuns(const std::vector<app::RunChoice>& runs, const std::string& command,
              std::string_view remedy);

// Asks on a terminal, with one numbered line per run. nullopt if there is no terminal or nothing
// was chosen.
std::optional<std::size_t> AskForRun(const std::vector<app::RunChoice>& runs);

}  // namespace rankscope::cli
