// diff_findings: the findings of a job that disappeared, appeared or changed.
#pragma once

#include <cstdint>

#include "schemas/diff.h"
#include "table/table.h"

namespace rankscope {

// Compares two tables of findings; either may be null. Findings with the same id are paired in
// order. Sorted: appeared, gone, changed, the rest.
Table FindingsDiff(const Table* base, const Table* test);

// Whether a finding that appeared (or, if steps became shorter, one that went) has a gain of at
// least half of this change. Reason: a checkpoint makes one step of many longer; the spread of the
// steps cannot separate that from noise, but the finding can.
bool HasFindingFor(ViewOf<DiffFindings> findings_diff, std::int64_t base_ns, std::int64_t test_ns);

}  // namespace rankscope
