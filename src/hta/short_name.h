// HTA's short form of a kernel's or op's name.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::hta {

// Without template arguments and parameters, and without what precedes the last space: "void
// at::native::copy<4>(int, char)" becomes "at::native::copy". Names without "<" and "(" and those
// of copies and memsets stay unchanged. O(length).
std::string ShortName(std::string_view name);

}  // namespace rankscope::hta
