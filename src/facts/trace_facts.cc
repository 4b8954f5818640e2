#include "facts/trace_facts.h"

#include <array>

#include "facts/path_charges.h"
#include "graph/graph.h"
#include "trace/recomputation.h"

namespace rankscope {

std::span<const Component> FactComponents() {
  static constexpr std::array kComponents = {kGraphComponent, kKernelClassComponent,
                                             kDeviceTimeComponent, kMemoryComponent};
  return kComponents;
}

TraceFacts::TraceFacts(const RankTrace& trace) : trace_(trace) {}
TraceFacts::~TraceFacts() = default;

const WorkClassifier& TraceFacts::classes() const {
  std::call_once(once_.classes, [&] { classes_.emplace(trace_); });
  return *classes_;
}

const HostActivity& TraceFacts::host() const {
  std::call_once(once_.host, [&] { host_.emplace(trace_); });
  return *host_;
}

const std::vector<DeviceTime>& TraceFacts::devices() const {
  std::call_once(once_.devices, [&] { devices_ = DeviceTimes(trace_, classes(), host()); });
  return *devices_;
}

const std::vector<MemoryDevice>& TraceFacts::memory() const {
  std::call_once(once_.memory, [&] { memory_ = MemoryDevicesOf(trace_); });
  return *memory_;
}

const PathFacts& TraceFacts::path() const {
  std::call_once(once_.path,
                 [&] { path_ = std::make_unique<const PathFacts>(MakePathFacts(*this)); });
  return *path_;
}

const std::vector<std::uint8_t>& TraceFacts::recomputed() const {
  std::call_once(once_.recomputed, [&] { recomputed_ = RecomputedRows(trace_); });
  return *recomputed_;
}

}  // namespace rankscope
