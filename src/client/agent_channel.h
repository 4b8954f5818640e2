// Agents reached directly at their addresses, without a server (docs/agent.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "capture/job_capture.h"

namespace rankscope::client {

struct AgentAddress {
  std::string host;
  std::uint16_t port = 1778;
};
// "node1", "node1:1778", "[::1]:1778".
Result<AgentAddress> ParseAgentAddress(std::string_view text);

// Keyed by the host names of captures. A connection for each request.
std::unique_ptr<capture::AgentChannel> MakeAgentChannel(
    std::map<std::string, AgentAddress> addresses, std::string token);

}  // namespace rankscope::client
