// Ops that bring a value to the host.
#pragma once

#include <string_view>

namespace rankscope {

// True if the op only does this.
inline bool ReadsValue(std::string_view op) {
  return op == "aten::item" || op == "aten::_local_scalar_dense" || op == "aten::is_nonzero";
}

}  // namespace rankscope
