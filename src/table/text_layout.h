// Widths of the columns of a text table with a limited line width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Blanks between two columns.
inline constexpr std::size_t kColumnGap = 2;

struct LayoutColumn {
  std::string header;
  std::size_t cell_width = 0;  // of the widest cell, in code points
  bool is_text = false;        // its cells may be shortened; numbers may not
};

// One width per shown column; the columns after them are left out. The following steps are applied
// in order, as far as needed. Text columns shrink to 20; the first of them, which identifies a row,
// to 28. Headers break into lines. Columns are left out from the right, down to that first one. It
// shrinks to 8. The rest is left out. The first column is always shown. `limit` 0 = no limit.
std::vector<std::size_t> LayOutColumns(const std::vector<LayoutColumn>& columns, std::size_t limit);

// `header` in lines of at most `width`, broken behind underscores and before the unit
// ("exposed_communication [ns]" -> "exposed_", "communication", "[ns]"); a single word is never
// broken.
std::vector<std::string> BreakHeader(std::string_view header, std::size_t width);

}  // namespace rankscope
