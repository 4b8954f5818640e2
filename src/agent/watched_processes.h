// Which processes of a host are read, and where they run.
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

// Where processes run: pods and containers. Safe for many threads.
class ProcessPlaces {
 public:
  // `root` is that of the processes' files; `pods` must outlive it.
  ProcessPlaces(const std::string& root, const Pods& pods) : root_(root), pods_(pods) {}

  // As those say that asked for work; of others their groups tell, now. Both must outlive it.
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
