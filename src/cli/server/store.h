// `rankscope store` and its subcommands.
#pragma once

#include <chrono>
#include <string>

#include "cli/base/command.h"
#include "store/store.h"

namespace rankscope::cli {

// --data DIR, for every subcommand.
void AddDataFolder(CommandSpec& app, std::string& folder);

// --catalogue, for every command that takes a data folder.
CommandOption& AddCatalogue(CommandSpec& app, std::string& catalogue);
// --lease, for commands that take work; "" keeps the value.
Status ParseLease(const std::string& text, std::chrono::milliseconds& lease);

void AddStoreAdd(CommandSpec& app);

}  // namespace rankscope::cli
