#include "facts/trace_facts.h"

#include <algorithm>
#include <array>

#include "facts/path_charges.h"
#include "graph/build_graph.h"
#include "trace/recomputation.h"

namespace rankscope {

std::span<const Component> FactComponents() {
  static constexpr std::array kComponents = {kGraphComponent, kKernelClassComponent,
                                             kDeviceTimeComponent, kDeviceStepsComponent,
                                             kMemoryComponent};
  return kComponents;
}

TraceFacts::TraceFacts(const RankTrace& trace, KernelRules rules)
    : trace_(trace), rules_(std::move(rules)) {}
TraceFacts::~TraceFacts() = default;

const WorkClassifier& TraceFacts::classes() const {
  std::call_once(once_.classes, [&] { classes_.emplace(trace_, rules_); });
  return *classes_;
}

const HostActivity& TraceFacts::host() const {
  std::call_once(once_.host, [&] { host_.emplace(trace_); });
  return *host_;
}

const MissingWork& TraceFacts::missing_work() const {
  std::call_once(once_.missing_work, [&] { missing_work_ = FindMissingWork(trace_); });
  return *missing_work_;
}

const std::vector<DeviceTime>& TraceFacts::recorded_devices() const {
  std::call_once(once_.devices, [&] {
    devices_ = DeviceTimes(trace_, classes(), host(), missing_work());
    are_known_ =
        !missing_work().ends_among_device_rows ||
        std::ranges::any_of(StepsOfRank(trace_, *devices_).steps, &DeviceSteps::Span::complete);
    if (are_known_) return;
    for (DeviceTime& device : *devices_) LeaveIdleUnobserved(trace_, device);
  });
  return *devices_;
}

const std::vector<DeviceTime>& TraceFacts::devices() const {
  static const std::vector<DeviceTime> kNone;
  const std::vector<DeviceTime>& recorded = recorded_devices();
  return are_known_ ? recorded : kNone;
}

const DeviceTime* TraceFacts::DeviceOf(const Track& track) const {
  if (track.domain != Domain::kDevice) return nullptr;
  const auto device = std::ranges::find(recorded_devices(), track.first, &DeviceTime::device);
  return device == recorded_devices().end() ? nullptr : &*device;
}

const DeviceSteps& TraceFacts::rank_steps() const {
  std::call_once(once_.rank_steps, [&] { rank_steps_ = StepsOfRank(trace_, devices()); });
  return *rank_steps_;
}

const std::vector<std::int32_t>& TraceFacts::launch_steps() const {
  std::call_once(once_.launch_steps, [&] {
    launch_steps_.assign(trace_.row_count(), DeviceSteps::kBefore);
    for (const DeviceTime& device : recorded_devices()) {
      for (std::size_t i = 0; i < device.work.size(); ++i)
        launch_steps_[device.work[i]] = device.steps.step_of_work[i];
    }
  });
  return launch_steps_;
}

const std::vector<MemoryDevice>& TraceFacts::memory() const {
  std::call_once(once_.memory, [&] { memory_ = MemoryDevicesOf(trace_); });
  return *memory_;
}

const DependencyGraph& TraceFacts::graph() const {
  std::call_once(once_.graph, [&] {
    const bool are_known = devices().size() == recorded_devices().size();
    graph_ = std::make_unique<const DependencyGraph>(BuildGraph(
        trace_, [&](Row row) { return classes().Of(row) == WorkClass::kCommunication; },
        Contraction::kBetweenDependencies, are_known ? Streams::kAll : Streams::kNone));
  });
  return *graph_;
}

const std::vector<Charge>& TraceFacts::path() const {
  std::call_once(once_.path,
                 [&] { path_ = std::make_unique<const std::vector<Charge>>(ChargesOf(*this)); });
  return *path_;
}

const std::vector<std::uint8_t>& TraceFacts::recomputed() const {
  std::call_once(once_.recomputed, [&] { recomputed_ = RecomputedRows(trace_); });
  return *recomputed_;
}

}  // namespace rankscope
