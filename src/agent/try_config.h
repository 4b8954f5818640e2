// Settings tried on this host: what --check-config says beside what is wrong in them by themselves.
#pragma once

#include <string>
#include <vector>

#include "agent/config.h"

namespace rankscope::agent {

struct ConfigTrial {
  std::vector<std::string> problems;  // "rpc.token_file: /x: No such file or directory"
  std::vector<std::string> notes;     // what is as it should be while an agent runs
};

// Takes addresses for a moment, opens files, looks at folders, and for metrics by their names.
// Makes nothing.
ConfigTrial TryConfig(const AgentConfig& config);

}  // namespace rankscope::agent
