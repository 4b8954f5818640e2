// The tables of `rankscope fleet`, as lists of tables have them.
#pragma once

#include <span>

#include "contract/table_entry.h"

namespace rankscope::fleet {

std::span<const TableEntry> FleetTableList();

}  // namespace rankscope::fleet
