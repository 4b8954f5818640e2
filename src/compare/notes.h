// diff_notes: what is not the same in two jobs beside their times, and what was done about it.
#pragma once

#include "compare/diff_rows.h"

namespace rankscope {

Table NotesOf(const JobTables& base, const JobTables& test, const Measures& of_base,
              const Measures& of_test, const PairedSums& all, DiffUnit unit, SpreadOf spread);

}  // namespace rankscope
