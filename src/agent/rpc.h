// What the agent answers to requests in JSON: dynolog's (getStatus, getVersion,
// setKinetOnDemandRequest, dcgmProfPause, dcgmProfResume) and its own. docs/agent.md lists them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agent/captures.h"

namespace rankscope::agent {

struct RpcOptions {
  std::string version;
  std::string host;   // its name, in answers
  std::string token;  // that every request has to carry; empty: none
};

// Safe for many threads.
class Rpc {
 public:
  Rpc(Captures& captures, RpcOptions options, std::function<Now()> clock)
      : captures_(captures), options_(std::move(options)), clock_(std::move(clock)) {}

  // A reply for every request: `{"error": "..."}` for what is none. O(its answer).
  std::string Answer(std::string_view request) const;

 private:
  Captures& captures_;
  const RpcOptions options_;
  const std::function<Now()> clock_;
};

}  // namespace rankscope::agent
