// `rankscope store` and its subcommands.
#pragma once

#include "cli/command.h"
#include "store/store.h"

namespace rankscope::cli {

// --data DIR, of every subcommand.
void AddDataFolder(CommandSpec& app, std::string& folder);

void AddStoreAdd(CommandSpec& app);

// Seconds since 1970 as 2026-11-23T04:50:00Z; the same of all machines.
std::string UtcText(std::int64_t seconds);

}  // namespace rankscope::cli
