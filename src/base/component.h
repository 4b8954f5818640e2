// A part of the program that stores its results inside the results of others, and the version of
// its computation.
#pragma once

#include <string_view>

namespace rankscope {

struct Component {
  std::string_view name;
  int version = 1;  // raised when it computes something else
};

}  // namespace rankscope
