// Names that PyTorch's autograd engine gives to its ops.
#pragma once

#include <string_view>

namespace rankscope {

// Prefix of the name of an op that evaluates one backward node and contains that node's own op:
// "autograd::engine::evaluate_function: MmBackward0".
inline constexpr std::string_view kEvaluateFunction = "autograd::engine::evaluate_function";

}  // namespace rankscope
