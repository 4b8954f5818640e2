// Names that PyTorch's autograd engine gives to its ops.
#pragma once

#include <string_view>

namespace rankscope {

// Begins the name of an op that evaluates one node of backward, and holds that node's own op:
// "autograd::engine::evaluate_function: MmBackward0".
inline constexpr std::string_view kEvaluateFunction = "autograd::engine::evaluate_function";

}  // namespace rankscope
