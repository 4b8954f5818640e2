// The unhealthy devices, and since when.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "device/device.h"

namespace rankscope::agent {

struct TroubledDevice {
  int index = 0;
  std::string uuid;
  device::Verdict verdict = device::Verdict::kFailed;  // degraded or failed
  std::string reason;                                  // "Xid 79: ...; over 90 C"
  std::int64_t since_ms = 0;                           // steady; of this verdict or a worse one
};

// "device 3 (GPU-...) failed: Xid 79: ...".
std::string ReasonOf(const TroubledDevice& device);

// Not thread-safe. A device that its driver no longer reports has failed, too, until it is reported
// again or another device has its number.
class DeviceWatch {
 public:
  // As they were read last. O(devices log devices).
  void See(const std::vector<device::DeviceState>& devices, std::int64_t steady_ms);

  std::vector<TroubledDevice> Troubled() const;  // by number

 private:
  struct Seen {
    std::string uuid;
    device::Verdict verdict = device::Verdict::kOk;
    std::string reason;
    std::int64_t degraded_since_ms = 0, failed_since_ms = 0;  // while it is
  };
  static void Judge(device::Verdict verdict, std::string reason, std::int64_t steady_ms,
                    Seen& seen);

  std::map<int, Seen> devices_;  // by index
};

}  // namespace rankscope::agent
