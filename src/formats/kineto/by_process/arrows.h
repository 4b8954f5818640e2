// Arrows of a trace from host to device, as links of launches: the row that an arrow leaves gets a
// correlation id, and so does the work that it leads to.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/builder.h"

namespace rankscope::kineto {

// Links device work that has no correlation id yet. An arrow's end means the innermost row of its
// track that begins at its time, else the innermost that is open then. Ids count from `first_id`,
// which must be above all in use. Arrows and rows name tracks as the file does, so this comes
// before rows are moved.
//
// `is_arrow` is asked for categories, `is_call` and `is_work` for rows.
struct ArrowRules {
  bool (*is_arrow)(std::string_view category) = nullptr;
  std::vector<bool> is_call;  // by row: may launch
  std::vector<bool> is_work;  // by row: is to be linked
  std::int64_t first_id = 1;
};
void LinkByArrows(UnsortedTrace& unsorted, const ArrowRules& rules);

}  // namespace rankscope::kineto
