// The events in which a critical path is searched.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "hta/frame.h"
#include "hta/options.h"

namespace rankscope::hta {

// Events in file order, each once, even if the frame's filter repeats some. Views the frame.
struct Window {
  const Frame* frame = nullptr;
  std::vector<Event> events;

  // Position in `events` of the event with this index in the file. O(log n).
  std::optional<std::uint32_t> Find(std::int64_t index) const;
};

// The window from the first begin to the last end of the selected instances of an annotation.
// Instances are counted from 0 in the frame's order, among all events whose name contains the text;
// an empty text means the whole frame. The window contains the host events that begin in it and
// take time, the work that they launched, whenever it ran, and every "Stream Wait Event". nullopt
// if there is no such instance. O(n log n).
std::optional<Window> ClipFrame(const Frame& frame, std::string_view annotation,
                                InstanceRange instances);

}  // namespace rankscope::hta
