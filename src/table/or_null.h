// Cells for values that may be unknown: an empty text or a NaN becomes null.
#pragma once

#include <cmath>
#include <string_view>

#include "table/table.h"

namespace rankscope {

// The text must outlive the cell.
inline Value TextOrNull(std::string_view text) { return text.empty() ? Value(kNull) : Value(text); }

inline Value FiniteOrNull(double value) {
  return std::isfinite(value) ? Value(value) : Value(kNull);
}

}  // namespace rankscope
