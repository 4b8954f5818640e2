// Tries settings on this host: the results of --check-config beyond errors in the settings
// themselves.
#pragma once

#include <string>
#include <vector>

#include "agent/config.h"

namespace rankscope::agent {

struct ConfigTrial {
  std::vector<std::string> problems;  // "rpc.token_file: /x: No such file or directory"
  std::vector<std::string> notes;     // what is as it should be while an agent runs
};

// Binds addresses for a moment, opens files, checks folders, and looks up metrics by their names.
// Makes nothing.
ConfigTrial TryConfig(const AgentConfig& config);

}  // namespace rankscope::agent
