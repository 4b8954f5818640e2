// diff_notes: differences between two jobs other than their times, and how they were handled.
#pragma once

#include "compare/diff_rows.h"

namespace rankscope {

Table NotesOf(const JobTables& base, const JobTables& test, const Measures& of_base,
              const Measures& of_test, const PairedSums& all, DiffUnit unit, SpreadOf spread);

}  // namespace rankscope
