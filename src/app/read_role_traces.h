// The traces of one role of a post-training run.
#pragma once

#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "post_training/base/data.h"

namespace rankscope::app {

// Its steps by their marks, and the busy time of its devices. `folder` names the role. kNotFound if
// the traces have no complete step.
Result<post_training::RoleTrace> ReadRoleTraces(const std::string& folder,
                                                const std::vector<std::string>& files,
                                                Listener& listener);

}  // namespace rankscope::app
