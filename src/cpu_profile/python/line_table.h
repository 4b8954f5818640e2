// Line numbers of code objects of CPython 3.11 and later: `co_linetable`, a run of entries, each of
// a few instructions (PEP 626, Objects/locations.md of CPython).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::cpu_profile {

struct LineRange {
  std::uint32_t end = 0;  // in bytes of the bytecode; it begins where the one before ends
  std::int32_t line = 0;  // 0: instructions of no line
};

// Of what is damaged, what comes before. O(bytes).
std::vector<LineRange> ParseLineTable(std::span<const std::byte> table, std::int32_t first_line);

// The line of the instruction at this place of the bytecode; 0: none.
std::int32_t LineAt(std::span<const LineRange> lines, std::uint64_t at);

}  // namespace rankscope::cpu_profile
