// An analysis as the list of subsystems has it.
#pragma once

#include "contract/table_entry.h"
#include "stage/analysis.h"

namespace rankscope {

// The columns are those of the analysis, which outlives the entry.
TableEntry TableEntryOf(const Analysis& analysis);

}  // namespace rankscope
