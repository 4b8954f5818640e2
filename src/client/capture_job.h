// Profiles the processes of a running job on all hosts at once, into one run of a server. The
// server leads the capture (its agents report to it), or this process does, by asking the agents
// directly.
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

// Progress events; all may be empty.
struct CaptureEvents {
  std::function<void(std::size_t processes, std::size_t hosts)> recording;  // once
  std::function<void()> recorded;  // once: later work of the processes is in no trace
  // The progress, on changes, and at most every kTellAgain.
  std::function<void(std::string_view sentence)> progress;
  // At the end, in any case: problems and missing files.
  std::function<void(std::string_view sentence)> warning;
  std::function<void(std::string_view sentence)> missing;
};

inline constexpr std::chrono::seconds kTellAgain{5};

// Both block until the run has its files and is being analysed, and return its id. If `wait` is
// stopped, the capture is cancelled on all hosts; files that have arrived form the run, and an
// empty run is removed.
Result<std::string> CaptureByServer(Server& server, const capture::CaptureRequest& request,
                                    Wait& wait, const CaptureEvents& events);
Result<std::string> CaptureByAgents(Server& server, const capture::CaptureRequest& request,
                                    std::map<std::string, AgentAddress> agents, std::string token,
                                    Wait& wait, const CaptureEvents& events);

}  // namespace rankscope::client
