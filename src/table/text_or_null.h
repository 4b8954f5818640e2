// The cell of a text that is empty where nothing is known.
#pragma once

#include <string_view>

#include "table/table.h"

namespace rankscope {

// The text must outlive the cell.
inline Value TextOrNull(std::string_view text) { return text.empty() ? Value(kNull) : Value(text); }

}  // namespace rankscope
