// The tables and views of all subsystems: by topic, by name, by what they are made of.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "contract/table_entry.h"

namespace rankscope::catalog {

// The topics of one subsystem after the other. They live as long as the program.
std::span<const TableTopic* const> AllTopics();

// kInvalidArgument with a sentence that names what may be meant. A view is found before
// a table of the same name.
Result<const TableEntry*> FindTable(std::string_view name);

std::vector<std::string> TableNames(Subject subject);

}  // namespace rankscope::catalog
