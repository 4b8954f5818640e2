// ReportSamples: the telemetry sent to the server with reports, each reading once.
//
// Readings made while the server is away wait in the histories of devices (240 readings, twenty
// minutes at the usual interval) and of the host (2,000 samples). Readings pushed out by then are
// lost, and counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "agent/host_history.h"
#include "agent/telemetry/device_source.h"

namespace rankscope::agent {

class ReportSamples {
 public:
  // Both outlive it.
  ReportSamples(const Devices& devices, const HostHistory& host) : devices_(devices), host_(host) {}

  // [[unix_ms,device,"device_busy",0.5],[unix_ms,null,"host_cpu_busy",0.2],...]: what has not
  // arrived yet, the oldest first, as much as a report may have. On one thread, as Arrived.
  std::string Next();
  // The last result of Next has arrived.
  void Arrived();

  // From any thread: readings of devices, and samples of the host.
  std::uint64_t sent() const { return sent_; }
  std::uint64_t lost() const { return lost_; }

 private:
  const Devices& devices_;
  const HostHistory& host_;
  std::uint64_t next_device_ = 0, next_host_ = 0;  // what arrived is before
  std::uint64_t given_device_ = 0, given_host_ = 0;
  std::uint64_t given_ = 0, given_lost_ = 0;
  std::atomic<std::uint64_t> sent_ = 0, lost_ = 0;
};

}  // namespace rankscope::agent
