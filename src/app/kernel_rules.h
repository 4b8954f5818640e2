// Only for use cases: a file of kernel rules.
#pragma once

#include <string>

#include "base/status.h"
#include "facts/kernel_rules.h"

namespace rankscope::app {

// The built-in rules if the path is empty.
Result<KernelRules> ReadKernelRules(const std::string& path);

}  // namespace rankscope::app
