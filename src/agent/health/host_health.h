// Whether this host can take work: for load balancers, and for the hook that drains it.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/now.h"
#include "agent/health/device_watch.h"
#include "agent/health/drain_hook.h"
#include "agent/telemetry/device_source.h"
#include "api/host_load.h"

namespace rankscope::agent {

class HostHealth {
 public:
  // Drivers that have told nothing for six times `interval`, and for a minute at least, hang.
  HostHealth(DrainOptions drain, std::string host, std::chrono::milliseconds interval,
             std::function<void(std::string_view)> said);

  // Now and then, on one thread: `last` is what was read last, its time 0 where nothing was.
  void Look(const DevicesThen& last, Now now);
  // From any thread. A host of which no device was ever told is of unknown status and takes work.
  api::HostLoad Load(const DevicesThen& last, Now now) const;

 private:
  const std::string host_;
  const std::chrono::milliseconds silence_;  // that is too long
  DeviceWatch watch_;                        // of the thread that looks
  DrainHook hook_;
  mutable std::mutex mutex_;
  std::vector<TroubledDevice> troubled_;
};

}  // namespace rankscope::agent
