// Only for use cases: several runs in the named paths, for messages.
#pragma once

#include <vector>

#include "app/listener.h"
#include "job/captures.h"

namespace rankscope::app {

// A run with its own folder is named by the folder, others by their files. In the order of their
// paths.
std::vector<RunChoice> ChoicesOf(const std::vector<RunOfFiles>& runs);

}  // namespace rankscope::app
