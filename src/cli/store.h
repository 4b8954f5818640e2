// `rankscope store` and its subcommands.
#pragma once

#include "cli/command.h"
#include "store/store.h"

namespace rankscope::cli {

// --data DIR, of every subcommand.
void AddDataFolder(CommandSpec& app, std::string& folder);

void AddStoreAdd(CommandSpec& app);

}  // namespace rankscope::cli
