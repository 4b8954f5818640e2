// For use cases: several runs among what was named, as their users are told of them.
#pragma once

#include <vector>

#include "app/listener.h"
#include "job/captures.h"

namespace rankscope::app {

// A run that has a folder to itself goes by the folder, another by its files. In the order of their
// paths.
std::vector<RunChoice> ChoicesOf(const std::vector<RunOfFiles>& runs);

}  // namespace rankscope::app
