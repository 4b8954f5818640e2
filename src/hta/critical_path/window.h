// The events that a critical path is looked for in.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "hta/frame.h"
#include "hta/options.h"

namespace rankscope::hta {

// Events in the order of the file, each once, whatever the frame's filter repeats. Views the frame.
struct Window {
  const Frame* frame = nullptr;
  std::vector<Event> events;

  // Position in `events` of the event with this index in the file. O(log n).
  std::optional<std::uint32_t> Find(std::int64_t index) const;
};

// From the first begin to the last end of the wanted instances of an annotation, which are counted
// from 0 in the frame's order among all events whose name holds the text; an empty text means the
// whole frame. Inside are the host events that begin there and take time, the work that they
// launched whenever it ran, and every "Stream Wait Event". nullopt when there is no such instance.
// O(n log n).
std::optional<Window> ClipFrame(const Frame& frame, std::string_view annotation,
                                InstanceRange instances);

}  // namespace rankscope::hta
