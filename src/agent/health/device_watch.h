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

// Versions of specifications: how often each file was read anew.
using SpecVersions = std::map<std::string, std::uint64_t>;

// Not thread-safe. A device that its driver no longer reports has failed, too, until it is reported
// again or another device has its place. A device is known by its uuid, and else by its place: its
// id, or its number where it has none. Devices of a specification that was read anew are forgotten
// if it does not have them.
class DeviceWatch {
 public:
  // As they were read last. O(devices^2).
  void See(const std::vector<device::DeviceState>& devices, std::int64_t steady_ms,
           const SpecVersions& versions = {});

  std::vector<TroubledDevice> Troubled() const;  // by number

 private:
  struct Seen {
    int index = 0;
    std::string place, uuid;
    std::string file;  // its specification
    std::uint64_t version = 0;
    device::Verdict verdict = device::Verdict::kOk;
    std::string reason;
    std::int64_t degraded_since_ms = 0, failed_since_ms = 0;  // while it is
    bool is_told = false;                                     // in this reading
  };
  Seen& Find(const device::DeviceState& state);
  static void Judge(device::Verdict verdict, std::string reason, std::int64_t steady_ms,
                    Seen& seen);

  std::vector<Seen> devices_;  // by index
};

}  // namespace rankscope::agent
