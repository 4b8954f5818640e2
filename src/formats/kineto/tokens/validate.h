// Finds exactly, but slowly, where a JSON object ends or stops being JSON. Used only where the fast
// path met damage.
#pragma once

#include <cstddef>
#include <string_view>

namespace rankscope::kineto {

struct ObjectExtent {
  enum class Kind : unsigned char {
    kComplete,    // `at` is one past the closing brace
    kError,       // `at` is the first byte that no JSON object can have there
    kIncomplete,  // the text ended first
    kTooDeep,     // nesting beyond the limit at `at`
  };
  Kind kind = Kind::kIncomplete;
  std::size_t at = 0;
};

inline constexpr int kMaxNesting = 1000;

// Walks the object that begins with { at text[0]. Accepts control characters inside strings and
// invalid UTF-8, since these can be repaired. The structure is checked strictly, the values only
// roughly. Linear, no recursion.
ObjectExtent MeasureObject(std::string_view text);

// The first place at or after `from` that looks like the start of an event: a { after "}," (spaces
// allowed) whose first key is one that events begin with; or the ] that closes the list of events.
// npos when there is none.
std::size_t FindEventStart(std::string_view text, std::size_t from);

}  // namespace rankscope::kineto
