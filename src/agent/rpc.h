// The agent's answers to requests in JSON: dynolog's (getStatus, getVersion,
// setKinetOnDemandRequest, dcgmProfPause, dcgmProfResume) and its own. docs/agent.md lists them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agent/captures/captures.h"
#include "agent/rpc_caller.h"
#include "agent/telemetry/job_values.h"
#include "agent/telemetry/snapshot.h"
#include "agent/triggers/decisions.h"

namespace rankscope::json {
class Value;
}

namespace rankscope::agent {

// The sources of answers; they outlive it.
struct RpcSources {
  Captures& captures;
  const Decisions& decisions;
  JobValues& values;
  std::function<Snapshots()> telemetry;  // of now; empty: none
  // Releases the devices' counters to a profiler for this many seconds. False: none are held.
  // Empty: never held.
  std::function<bool(std::int64_t)> pause_counters;
};

struct RpcOptions {
  std::string version;
  std::string host;                            // its name, in answers
  std::string token;                           // that every request has to carry; empty: none
  std::function<void(std::string_view)> said;  // hears who asked for what changes something
};

// Safe for many threads.
class Rpc {
 public:
  Rpc(RpcSources sources, RpcOptions options, Clock clock)
      : sources_(std::move(sources)), options_(std::move(options)), clock_(std::move(clock)) {}

  // A reply for every request: `{"error": "..."}` for a refusal, beside the fields that dynolog's
  // own clients expect. A caller with the token is trusted. O(its answer).
  std::string Answer(std::string_view request, const RpcCaller& caller) const;
  // Whether it answers the caller's requests whatever they carry.
  bool LetsIn(const RpcCaller& caller) const {
    return options_.token.empty() && (caller.is_trusted || caller.uid);
  }

 private:
  Result<std::string> Do(std::string_view fn, const json::Value& request,
                         const RpcCaller& caller) const;
  void Audit(std::string_view fn, const Triggered& triggered, const RpcCaller& caller) const;

  const RpcSources sources_;
  const RpcOptions options_;
  const Clock clock_;
};

}  // namespace rankscope::agent
