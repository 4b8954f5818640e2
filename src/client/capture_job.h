// Processes of a running job profiled on all hosts at once, into one run of a server: led by the
// server, whose agents report to it, or from here, by asking the agents themselves.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "capture/job_capture.h"
#include "client/agent_channel.h"
#include "client/server.h"
#include "client/wait.h"

namespace rankscope::client {

// What there is to tell meanwhile; all may be empty.
struct CaptureEvents {
  std::function<void(std::size_t processes, std::size_t hosts)> recording;  // once
  std::function<void()> recorded;  // once: what processes do from here on is in no trace
  // How far it is, when that has changed, and at most every kTellAgain.
  std::function<void(std::string_view sentence)> progress;
  // When it is over, however it ended: what is odd, and what did not come.
  std::function<void(std::string_view sentence)> warning;
  std::function<void(std::string_view sentence)> missing;
};

inline constexpr std::chrono::seconds kTellAgain{5};

// Both block until the run has its files and is being analysed, and return its id. When `wait` is
// stopped the capture is cancelled on all hosts; what had arrived is the run, and one without
// anything is removed.
Result<std::string> CaptureByServer(Server& server, const capture::CaptureRequest& request,
                                    Wait& wait, const CaptureEvents& events);
Result<std::string> CaptureByAgents(Server& server, const capture::CaptureRequest& request,
                                    std::map<std::string, AgentAddress> agents, std::string token,
                                    Wait& wait, const CaptureEvents& events);

}  // namespace rankscope::client
