// diff_findings: which findings of a job went, came or changed.
#pragma once

#include <cstdint>

#include "schemas/diff.h"
#include "table/table.h"

namespace rankscope {

// Of two tables of findings; either may be null. Findings of one id are paired in their order.
// Those that appeared first, then gone, changed, and the rest.
Table FindingsDiff(const Table* base, const Table* test);

// Whether one that appeared (went, where steps became shorter) would gain half of this change or
// more. A checkpoint makes one step of many longer: their spread alone cannot tell that from noise,
// but the finding knows it.
bool HasFindingFor(ViewOf<DiffFindings> findings_diff, std::int64_t base_ns, std::int64_t test_ns);

}  // namespace rankscope
