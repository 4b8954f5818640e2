#include "analysis/trace_facts.h"

namespace rankscope {

const WorkClassifier& TraceFacts::classes() const {
  if (!classes_) classes_.emplace(trace_);
  return *classes_;
}

const HostActivity& TraceFacts::host() const {
  if (!host_) host_.emplace(trace_);
  return *host_;
}

const std::vector<DeviceTime>& TraceFacts::devices() const {
  if (!devices_) devices_ = DeviceTimes(trace_, classes(), host());
  return *devices_;
}

const std::vector<MemoryDevice>& TraceFacts::memory() const {
  if (!memory_) memory_ = MemoryDevicesOf(trace_);
  return *memory_;
}

}  // namespace rankscope
