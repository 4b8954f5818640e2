// Converts the text of a file to a value of the declared type.
#pragma once

#include <string_view>

#include "probe/source/reading.h"

namespace rankscope::probe {

// One final line end is not part of a text. A number may have spaces around it, a sign, or 0x.
//   key="MemFree:"            reads 123 from "MemFree:  123 kB"
//   key="cpu", column=4       reads 4 from "cpu  1 2 3 4"
// `where` names the file in errors.
Reading ValueOfText(std::string_view text, const Source& source, std::string_view where);

// Returns `value` unless it is one of the values that mean "not available".
Reading Available(Value value, const Source& source, std::string_view where);

}  // namespace rankscope::probe
