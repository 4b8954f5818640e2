// Agent: the complete daemon of a host. It answers training processes and requests, triggers
// captures, reads telemetry and sends traces to the server.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agent/config.h"

namespace rankscope::agent {

// The command with which the agent's program loads a vendor's library in a separate process
// (probe/).
inline constexpr std::string_view kProbeWorker = "probe-worker";

class Agent {
 public:
  // When it returns, all addresses are listening. `said` gets sentences for a log, from any thread.
  // Errors name the setting.
  static Result<std::unique_ptr<Agent>> Start(const AgentConfig& config, std::string version,
                                              std::function<void(std::string_view)> said);
  virtual ~Agent() = default;

  // {"rpc":"127.0.0.1:1778","metrics":"127.0.0.1:8724","kineto":"@dynolog"}; null for what is off.
  virtual std::string AddressesJson() const = 0;
};

}  // namespace rankscope::agent
