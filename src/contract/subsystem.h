// Subsystem: all that a part of rankscope brings. Each declares its own in its folder
// (FOLDER/subsystem.h); catalog/subsystems.cc lists all. Its commands are listed in cli/program.cc.
#pragma once

#include <string_view>
#include <vector>

#include "contract/finding_entry.h"
#include "contract/table_entry.h"

namespace rankscope {

struct Subsystem {
  std::string_view name;                    // "memory"
  std::string_view about;                   // one line
  std::vector<TableTopic> topics;           // in the order in which people ask
  std::vector<FindingEntry> findings = {};  // in the order in which a reader looks for them
};

}  // namespace rankscope
