// Line-by-line differences between two texts.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace rankscope::fix {

// Lines including their ends; the last one may have no end. Views of the text.
std::vector<std::string_view> LinesOf(std::string_view text);

// `before_count` lines starting at `before` became `after_count` lines starting at `after`, from 0.
struct LineChange {
  std::size_t before = 0, before_count = 0;
  std::size_t after = 0, after_count = 0;
  bool operator==(const LineChange&) const = default;
};

// The minimal changes (Myers, "An O(ND) Difference Algorithm", 1986) in order, separated by
// unchanged lines. Texts that differ in more than 2000 lines yield a single change. O(lines +
// changed^2).
std::vector<LineChange> LineChanges(const std::vector<std::string_view>& before,
                                    const std::vector<std::string_view>& after);

}  // namespace rankscope::fix
