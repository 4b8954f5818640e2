#include "probe/run/host.h"

#include <fmt/format.h>

#include <algorithm>

#include "probe/run/lines.h"

namespace rankscope::probe {

Host::Host(const Spec& spec, SourceReader& reader, const Clock& clock) {
  for (const DeviceSpec& device : spec.devices) modules_.emplace_back(device, reader, clock);
}

bool Host::Refresh(std::int64_t now_ns) {
  bool has_read = false;
  for (Module& module : modules_) has_read = module.Refresh(now_ns) || has_read;
  return has_read;
}

std::int64_t Host::NextDue_ns() const {
  std::int64_t next = modules_.empty() ? 0 : modules_[0].NextDue_ns();
  for (const Module& module : modules_) next = std::min(next, module.NextDue_ns());
  return next;
}

std::vector<std::string> FaultLines(const Host& host) {
  std::vector<std::string> lines;
  for (const Module& module : host.modules()) {
    if (!module.trouble().empty())
      lines.push_back(fmt::format("{}: {}", module.device().name, module.trouble()));
    for (const InstanceState& state : module.instances()) {
      for (std::size_t i = 0; i < state.costs.size(); ++i)
        if (!state.costs[i].why.empty())
          lines.push_back(fmt::format("{} {}: {}", state.instance.name,
                                      module.device().sources[i].name, state.costs[i].why));
      for (std::size_t i = 0; i < kFaultKinds; ++i) {
        const std::uint64_t count = state.faults.Of(static_cast<Fault>(i));
        if (count > 0)
          lines.push_back(fmt::format("{}: {} value{} dropped: {}", state.instance.name, count,
                                      count == 1 ? "" : "s", kFaultNames[i]));
      }
    }
  }
  return lines;
}

std::string MetricLines(const Host& host) {
  std::string lines;
  for (const Module& module : host.modules()) lines += MetricLines(module);
  return lines;
}

}  // namespace rankscope::probe
