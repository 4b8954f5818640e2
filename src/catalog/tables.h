// The tables and views of all subsystems: by topic, by name, by subject.
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

// kInvalidArgument with a sentence that suggests similar names. If a view and a table have the same
// name, the view is found.
Result<const TableEntry*> FindTable(std::string_view name);

std::vector<std::string> TableNames(Subject subject);

}  // namespace rankscope::catalog
