// Kernels of Ascend NPUs, which are named after the op of the library that they run, some with a
// number behind it or the call before it: Cast, Add12, aclnnMuls_MulAiCore_Mul.
#pragma once

#include <string_view>

#include "facts/kernel_class.h"

namespace rankscope {

// For names that no rule of all vendors knows (facts/kernel_rules.h); kOther where neither does.
KernelClass ClassOfAscendKernel(std::string_view name);

}  // namespace rankscope
