// diff_findings: which findings of a job went, came or changed.
#pragma once

#include "table/table.h"

namespace rankscope {

// Of two tables of findings; either may be null. Findings of one id are paired in their order.
// Those that appeared first, then gone, changed, and the rest.
Table FindingsDiff(const Table* base, const Table* test);

}  // namespace rankscope
