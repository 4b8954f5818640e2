// Subsystem: all contributions of a part of rankscope. Each subsystem is declared in its folder
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
  std::vector<TableTopic> topics;           // in the order of typical questions
  std::vector<FindingEntry> findings = {};  // in reading order
};

}  // namespace rankscope
