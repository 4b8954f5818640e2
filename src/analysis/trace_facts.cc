#include "analysis/trace_facts.h"

#include "analysis/critical_path/path_charges.h"
#include "trace/recomputation.h"

namespace rankscope {

TraceFacts::TraceFacts(const RankTrace& trace) : trace_(trace) {}
TraceFacts::~TraceFacts() = default;

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

const PathFacts& TraceFacts::path() const {
  if (!path_) path_ = std::make_unique<const PathFacts>(MakePathFacts(*this));
  return *path_;
}

const std::vector<std::uint8_t>& TraceFacts::recomputed() const {
  if (!recomputed_) recomputed_ = RecomputedRows(trace_);
  return *recomputed_;
}

}  // namespace rankscope
