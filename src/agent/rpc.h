// What the agent answers to requests in JSON: dynolog's (getStatus, getVersion,
// setKinetOnDemandRequest, dcgmProfPause, dcgmProfResume) and its own. docs/agent.md lists them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agent/captures/captures.h"
#include "agent/telemetry/job_values.h"
#include "agent/telemetry/snapshot.h"
#include "agent/triggers/decisions.h"

namespace rankscope::agent {

// What is answered from; they outlive it.
struct RpcSources {
  Captures& captures;
  const Decisions& decisions;
  JobValues& values;
  std::function<Snapshots()> telemetry;  // of now; empty: none
  // Leaves the devices' counters to a profiler for so many seconds; empty: none are held.
  std::function<void(std::int64_t)> pause_counters;
};

struct RpcOptions {
  std::string version;
  std::string host;   // its name, in answers
  std::string token;  // that every request has to carry; empty: none
};

// Safe for many threads.
class Rpc {
 public:
  Rpc(RpcSources sources, RpcOptions options, Clock clock)
      : sources_(std::move(sources)), options_(std::move(options)), clock_(std::move(clock)) {}

  // A reply for every request: `{"error": "..."}` for what is none. O(its answer).
  std::string Answer(std::string_view request) const;

 private:
  const RpcSources sources_;
  const RpcOptions options_;
  const Clock clock_;
};

}  // namespace rankscope::agent
