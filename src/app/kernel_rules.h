// For use cases, not for their users: a file of rules for kernels.
#pragma once

#include <string>

#include "base/status.h"
#include "facts/kernel_rules.h"

namespace rankscope::app {

// The built-in rules where the path is empty.
Result<KernelRules> ReadKernelRules(const std::string& path);

}  // namespace rankscope::app
