// Whether this host can accept work: for load balancers and for the drain hook.
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
  // Drivers that report nothing for six times `interval`, and at least a minute, count as hanging.
  HostHealth(DrainOptions drain, std::string host, std::chrono::milliseconds interval,
             std::function<void(std::string_view)> said);

  // Call it now and then, on one thread. `last` is the last reading; its time is 0 if there was
  // none.
  void Look(const DevicesThen& last, Now now);
  // From any thread. A host that never reported a device has unknown status and accepts work.
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
