// For definitions.cc: the tables that commands of their own make, beside those of one job.
#pragma once

#include <vector>

#include "app/definitions.h"

namespace rankscope::app {

// By command, in the order of the list.
std::vector<TableGroup> GroupsOfCommands();

}  // namespace rankscope::app
