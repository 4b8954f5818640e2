// CpuProfiles: samples the processes of captures that request it, while they record.
//
// A recording with a time limit is sampled from its begin to its end. A recording of iterations is
// sampled from its request until its trace is there, and the last minute is kept, because the begin
// of the iterations is not reported. Samples outside the recording are left out when they go into
// the trace.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agent/captures/captures.h"
#include "api/agent_capture.h"
#include "cpu_profile/process_sampler.h"

namespace rankscope::agent {

// Safe for several threads.
class CpuProfiles {
 public:
  explicit CpuProfiles(Captures& captures) : captures_(captures) {}

  // Starts sampling members that record, and stops those whose captures are over. Takes
  // milliseconds.
  void Tick();
  // For a member whose trace is there; null: none. It may still run: taking its profiles waits for
  // its end.
  std::shared_ptr<cpu_profile::ProcessSampler> SamplerOf(const std::string& capture, pid_t pid);

 private:
  // Each is a thread.
  static constexpr std::size_t kMostAtOnce = 64;
  using Key = std::pair<std::string, pid_t>;

  struct Sampled {
    std::shared_ptr<cpu_profile::ProcessSampler> sampler;
    bool is_fetched = false;  // SamplerOf gave it
  };
  void Begin(const Capture& capture, const CaptureMember& member);

  Captures& captures_;
  std::mutex mutex_;
  std::map<Key, Sampled> samplers_;
};

// The time to sample, from the capture's configuration; `later_ms`: CaptureMember::later_ms.
cpu_profile::SamplingOptions SamplingOf(const std::string& config, pid_t pid,
                                        std::int64_t later_ms = 0);

api::CpuSampling Reported(const cpu_profile::SamplingState& state);

}  // namespace rankscope::agent
