#include "insight/evidence/loss/gain_beside_replay.h"

#include <algorithm>

#include "insight/evidence/loss/device_idle.h"

namespace rankscope {

namespace {

// What only keeps devices waiting gains no more than they wait.
double MostOf(const RuleInput& input, Takes takes) {
  switch (takes) {
    case Takes::kSlowerKernels:
    case Takes::kMoreWork:
    case Takes::kKernels:
      return 1;
    case Takes::kCopies:
      return input.Shared<DeviceIdle>().with_copies;
    default:
      return input.Shared<DeviceIdle>().share;
  }
}

}  // namespace

std::optional<double> GainBesideReplay(const RuleInput& input, const Cause& cause) {
  if (cause.gain) return cause.gain;
  if (cause.without && input.fidelity().refused.empty()) return std::nullopt;
  if (!cause.lost_ns) return std::nullopt;
  return std::min(MostOf(input, cause.takes),
                  static_cast<double>(*cause.lost_ns) / std::max(1.0, input.step_ns()));
}

}  // namespace rankscope
