#include "timeline/rank_timeline.h"

#include "facts/kernel_class.h"
#include "trace/trace.h"

namespace rankscope {

std::string_view ToString(TimelinePart part) {
  static constexpr std::string_view kNames[kTimelinePartCount] = {
      "compute",   "transfer",    "wait",         "communication_unknown", "copy",
      "idle_host", "idle_device", "idle_unknown", "not_observed"};
  return kNames[static_cast<int>(part)];
}

std::string_view ToString(TimelineRole role) {
  static constexpr std::string_view kNames[] = {"parts",       "marks",  "stream", "waits",
                                                "annotations", "thread", "other"};
  return kNames[static_cast<int>(role)];
}

const std::vector<std::string>& TimelineKinds() {
  static const std::vector<std::string> kKinds = [] {
    std::vector<std::string> kinds;
    kinds.reserve(kKernelClassCount + kEventKindCount + kTimelinePartCount);
    for (int i = 0; i < kKernelClassCount; ++i)
      kinds.emplace_back(ToString(static_cast<KernelClass>(i)));
    for (int i = 0; i < kEventKindCount; ++i)
      kinds.emplace_back(ToString(static_cast<EventKind>(i)));
    for (int i = 0; i < kTimelinePartCount; ++i)
      kinds.emplace_back(ToString(static_cast<TimelinePart>(i)));
    return kinds;
  }();
  return kKinds;
}

std::uint8_t KindOfPart(TimelinePart part) {
  return static_cast<std::uint8_t>(kKernelClassCount + kEventKindCount + static_cast<int>(part));
}

}  // namespace rankscope
