#include "insight/evidence/loss/gain_beside_replay.h"

#include <algorithm>

#include "insight/evidence/loss/device_idle.h"

namespace rankscope {

double MostWonBack(const RuleInput& input, const Cause& cause) {
  switch (cause.takes) {
    case Takes::kSlowerKernels:
    case Takes::kMoreWork:
    case Takes::kKernels:
      return 1;
    case Takes::kCopies:
      return DeviceIdle::MostOf(input.Shared<DeviceIdle>().with_copies, cause.ranks);
    default:
      return DeviceIdle::MostOf(input.Shared<DeviceIdle>().share, cause.ranks);
  }
}

std::optional<double> GainBesideReplay(const RuleInput& input, const Cause& cause) {
  if (cause.gain) return cause.gain;
  if (cause.without && input.fidelity().refused.empty()) return std::nullopt;
  if (!cause.lost_ns) return std::nullopt;
  return std::min(MostWonBack(input, cause),
                  static_cast<double>(*cause.lost_ns) / std::max(1.0, input.step_ns()));
}

}  // namespace rankscope
