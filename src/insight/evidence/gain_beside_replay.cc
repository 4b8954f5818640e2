#include "insight/evidence/gain_beside_replay.h"

#include <algorithm>

#include "insight/evidence/device_idle.h"

namespace rankscope {

std::optional<double> GainBesideReplay(const RuleInput& input, const Cause& cause) {
  if (cause.gain) return cause.gain;
  if (cause.without && input.fidelity().refused.empty()) return std::nullopt;
  if (!cause.lost_ns) return std::nullopt;
  // What only keeps devices waiting gains no more than they wait.
  const bool is_of_devices = cause.takes == Takes::kSlowerKernels ||
                             cause.takes == Takes::kMoreWork || cause.takes == Takes::kKernels;
  const double most = is_of_devices ? 1 : input.Shared<DeviceIdle>().share;
  return std::min(most, static_cast<double>(*cause.lost_ns) / std::max(1.0, input.step_ns()));
}

}  // namespace rankscope
