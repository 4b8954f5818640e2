#include "device/device.h"
#include "device/xid.h"

namespace rankscope::device {

std::string_view ToString(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kDegraded:
      return "degraded";
    default:
      return "failed";
  }
}

Health HealthOf(const DeviceState& state) {
  constexpr double kHot = 90;
  Health health;
  const auto add = [&](Verdict verdict, std::string reason) {
    health.verdict = std::max(health.verdict, verdict);
    health.reasons.push_back(std::move(reason));
  };
  if (!state.problem.empty()) add(Verdict::kFailed, state.problem);
  if (state.said_health.value_or(Verdict::kOk) != Verdict::kOk)
    add(*state.said_health, state.said_reason.empty()
                                ? fmt::format("it is {}", ToString(*state.said_health))
                                : state.said_reason);
  for (const unsigned number : state.xids) {
    const Xid* const xid = FindXid(number);
    if (xid != nullptr) add(xid->verdict, fmt::format("Xid {}: {}", number, xid->meaning));
  }
  // Its maker's limits are its specification's.
  if (state.gives_health) return health;
  if (state.uncorrected_errors && *state.uncorrected_errors > 0)
    add(Verdict::kFailed,
        fmt::format("{} errors of memory could not be corrected", *state.uncorrected_errors));
  if (state.slowed_by) {
    for (const std::string& reason : *state.slowed_by) {
      // Idle clocks and limits that somebody set are no defect.
      if (reason == "hardware_slowdown" || reason == "hardware_thermal" ||
          reason == "software_thermal" || reason == "power_brake")
        add(Verdict::kDegraded, "its clocks are held down: " + reason);
    }
  }
  if (state.temperature_celsius && *state.temperature_celsius > kHot)
    add(Verdict::kDegraded, fmt::format("it has {} C", *state.temperature_celsius));
  return health;
}

}  // namespace rankscope::device
