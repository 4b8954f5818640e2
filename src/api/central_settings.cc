#include "api/central_settings.h"

namespace rankscope::api {

std::span<const std::string_view> CentralKeys() {
  static constexpr std::string_view kKeys[] = {
      "capture.cpu",
      "capture.offcpu_s",
      "capture.shapes",
      "capture.snoop_s",
      "capture.stacks",
      "triggers.events",
      "triggers.every_minutes",
      "triggers.iteration",
      "triggers.iterations",
      "triggers.job_most_per_hour",
      "triggers.job_pause_s",
      "triggers.most_per_hour",
      "triggers.round_up",
      "triggers.rules",
      "triggers.settle_s",
  };
  return kKeys;
}

}  // namespace rankscope::api
