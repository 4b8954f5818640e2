// Turns arrows from host to device into launch links: the row where an arrow starts gets a
// correlation id, and so does the work where it ends.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/builder.h"

namespace rankscope::kineto {

// Links device work that has no correlation id yet. An arrow's end refers to the innermost row of
// its track that begins at its time, otherwise to the innermost row open then. New ids count from
// `first_id`, which must exceed all ids in use. Arrows and rows name tracks as the file does, so
// call this before rows are moved.
//
// `is_arrow` is called with categories, `is_call` and `is_work` are indexed by rows.
struct ArrowRules {
  bool (*is_arrow)(std::string_view category) = nullptr;
  std::vector<bool> is_call;  // by row: may launch
  std::vector<bool> is_work;  // by row: needs a link
  std::int64_t first_id = 1;
};
void LinkByArrows(UnsortedTrace& unsorted, const ArrowRules& rules);

}  // namespace rankscope::kineto
