// Line numbers of code objects of CPython 3.11 and later: `co_linetable`, a sequence of entries
// that cover a few instructions each (PEP 626, Objects/locations.md of CPython).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::cpu_profile {

struct LineRange {
  std::uint32_t end = 0;  // offset in the bytecode; a range begins where the previous one ends
  std::int32_t line = 0;  // 0: instructions without a line
};

// If the table is damaged, returns what precedes the damage. O(bytes).
std::vector<LineRange> ParseLineTable(std::span<const std::byte> table, std::int32_t first_line);

// The line of the instruction at this bytecode offset; 0: none.
std::int32_t LineAt(std::span<const LineRange> lines, std::uint64_t at);

}  // namespace rankscope::cpu_profile
