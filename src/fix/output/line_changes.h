// How two texts differ by lines.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace rankscope::fix {

// Lines with their ends; the last may have none. Views of the text.
std::vector<std::string_view> LinesOf(std::string_view text);

// `before_count` lines from `before` on became `after_count` lines from `after` on; from 0.
struct LineChange {
  std::size_t before = 0, before_count = 0;
  std::size_t after = 0, after_count = 0;
  bool operator==(const LineChange&) const = default;
};

// The fewest lines (Myers, "An O(ND) Difference Algorithm", 1986), in their order, with lines that
// stay in between. Texts that differ in over 2000 lines have one change. O(lines + changed^2).
std::vector<LineChange> LineChanges(const std::vector<std::string_view>& before,
                                    const std::vector<std::string_view>& after);

}  // namespace rankscope::fix
