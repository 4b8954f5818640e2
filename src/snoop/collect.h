// Collect: converts the maps and books of a session to findings with names.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "snoop/allocations.h"
#include "snoop/findings.h"
#include "snoop/stack_book.h"

namespace rankscope::snoop {

struct SummedUse {
  SumKey key{};
  Sum sum{};
};

// Exact counters, by call.
std::vector<CallRow> RowsOf(std::span<const Call> calls, std::span<const CallCount> counts);

// Sets memory, leaks, failures, uses and timelines. The window is in CLOCK_MONOTONIC. Stacks with
// equal names are merged. O(live allocations and stacks).
void Collect(std::span<const Call> calls, const Allocations& allocations,
             std::span<const SummedUse> uses, StackBook& stacks, std::int64_t begin_ns,
             std::int64_t end_ns, Findings& findings);

}  // namespace rankscope::snoop
