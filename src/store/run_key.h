// The key by which two attempts to store a job are recognised as one run (Run::key).
#pragma once

#include <string>
#include <vector>

#include "store/run.h"

namespace rankscope::store {

// The same files under the same name are the same run.
std::string RunKey(const Run& run, const std::vector<RunFile>& files);

}  // namespace rankscope::store
