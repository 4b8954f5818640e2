// An analysis as an entry for the list of subsystems.
#pragma once

#include "contract/table_entry.h"
#include "stage/analysis.h"

namespace rankscope {

// The columns are those of the analysis, which must outlive the entry.
TableEntry TableEntryOf(const Analysis& analysis);

}  // namespace rankscope
