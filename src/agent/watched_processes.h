// The processes of a host that are read, and their places.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "agent/captures/captures.h"
#include "agent/pods.h"
#include "agent/telemetry/process_source.h"
#include "device/device.h"

namespace rankscope::agent {

// The places of processes: pods and containers. Safe for many threads.
class ProcessPlaces {
 public:
  // `root` is that of the processes' files; `pods` must outlive it.
  ProcessPlaces(const std::string& root, const Pods& pods) : root_(root), pods_(pods) {}

  // From processes that polled for work; for others from their current groups. Both must outlive
  // it.
  std::function<Placed(pid_t)> Of(const std::vector<Process>& known) const;

 private:
  const std::string& root_;
  const Pods& pods_;
};

// Those on devices first, then those that train; kMostWatched at most.
std::vector<WatchedProcess> ProcessesToWatch(const std::vector<Process>& training,
                                             const std::vector<device::DeviceState>& devices,
                                             const ProcessPlaces& places);

}  // namespace rankscope::agent
