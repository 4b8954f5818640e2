// CpuProfiles: samples the processes of captures that asked for it, while they record.
//
// A recording of a time is sampled from its begin to its end; one of iterations from when the
// process was told until its trace is there, and the last minute is kept: nobody tells when the
// iterations begin. What lies outside of the recording is left out when it goes into the trace.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agent/captures/captures.h"
#include "cpu_profile/process_sampler.h"

namespace rankscope::agent {

// Safe for several threads.
class CpuProfiles {
 public:
  explicit CpuProfiles(Captures& captures) : captures_(captures) {}

  // Begins with those that record, ends those whose captures are over. Milliseconds.
  void Tick();
  // Of a member whose trace is there; null: none. It may still run: whoever takes its profiles
  // waits for its end.
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

// When to sample, by the capture's configuration; `later_ms`: CaptureMember::later_ms.
cpu_profile::SamplingOptions SamplingOf(const std::string& config, pid_t pid,
                                        std::int64_t later_ms = 0);

// {"state":"done","reason":"","samples":1,"lost":0,"missed":0,"of_core":0.01}
std::string CpuJson(const cpu_profile::SamplingState& state);

}  // namespace rankscope::agent
