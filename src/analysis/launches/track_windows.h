// The windows of device tracks, made once for all tracks of a device.
#pragma once

#include <map>

#include "facts/trace_facts.h"
#include "facts/windows.h"

namespace rankscope {

// For one capture and one thread.
class TrackWindows {
 public:
  // Both outlive it.
  TrackWindows(const TraceFacts& facts, const StepFilter& steps) : facts_(facts), steps_(steps) {}

  // The windows of the track's device; those of the rank if the device has no works. Making them
  // costs O(works of the device).
  const Windows& Of(const Track& track) {
    const DeviceTime* const device = facts_.DeviceOf(track);
    const auto known = windows_.find(device);
    if (known != windows_.end()) return known->second;
    return windows_
        .emplace(device, device != nullptr ? Windows::OfDevice(facts_, *device, steps_)
                                           : Windows::OfRank(facts_, steps_))
        .first->second;
  }

 private:
  const TraceFacts& facts_;
  const StepFilter& steps_;
  std::map<const DeviceTime*, Windows> windows_;
};

}  // namespace rankscope
