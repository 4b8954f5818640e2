// A part of the program whose results are stored inside others', and the version of what it
// computes.
#pragma once

#include <string_view>

namespace rankscope {

struct Component {
  std::string_view name;
  int version = 1;  // raised when it computes something else
};

}  // namespace rankscope
