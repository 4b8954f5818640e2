// What the text of a file means as a value of the declared type.
#pragma once

#include <string_view>

#include "probe/source/reading.h"

namespace rankscope::probe {

// One line end is no part of a text. A number may have spaces around it, a sign, or 0x.
//   key="MemFree:"            of "MemFree:  123 kB" 123
//   key="cpu", column=4       of "cpu  1 2 3 4" 4
// `where` is what errors call the file.
Reading ValueOfText(std::string_view text, const Source& source, std::string_view where);

// `value` unless it stands for none.
Reading Available(Value value, const Source& source, std::string_view where);

}  // namespace rankscope::probe
